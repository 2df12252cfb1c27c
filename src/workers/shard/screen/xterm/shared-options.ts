import type { OptionsInternals, XtermInternals } from './internals.js';

type Options = Record<string, unknown>;
type OptionsClass = new (service: OptionsInternals) => Options;

let shared: OptionsClass | undefined;

/**
 * Has all xterms share the functions that read and set their options: xterm makes 184 of them for each terminal, which take
 * about 20 KB. As in xterm, a value is checked before it is set, and listeners are called if it has changed.
 */
export function shareOptions(core: XtermInternals): Options {
  const { optionsService: service } = core;
  shared ??= optionsClass(Object.keys(service.rawOptions));
  service.options = new shared(service);
  return service.options;
}

function optionsClass(keys: readonly string[]): OptionsClass {
  return class Shared {
    readonly #service: OptionsInternals;
    [key: string]: unknown;

    constructor(service: OptionsInternals) {
      this.#service = service;
    }

    static {
      for (const key of keys) {
        Object.defineProperty(Shared.prototype, key, {
          enumerable: true,
          get(this: Shared) {
            return this.#service.rawOptions[key];
          },
          set(this: Shared, asked: unknown) {
            const { rawOptions, _onOptionChange } = this.#service;
            const value = this.#service._sanitizeAndValidateOption(key, asked);
            if (rawOptions[key] === value) return;
            rawOptions[key] = value;
            _onOptionChange.fire(key);
          },
        });
      }
    }
  };
}
