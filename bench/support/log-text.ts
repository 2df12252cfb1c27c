const WORDS =
  'error warning failed passed compiled linking module package request response timeout connection server client index render cache worker thread queue buffer stream socket handler listener promise resolve reject parse token syntax import export default interface class function return const await async yield throw catch finally build bundle chunk asset source target release debug profile memory heap stack frame pointer offset length capacity threshold retry backoff deadline budget metric gauge counter histogram trace span context logger level info notice critical fatal panic segment page block record table column schema migration rollback commit branch merge rebase checkout fetch remote origin upstream'.split(
    ' ',
  );

/** Generates lines such as terminals print: builds, tests, stack traces, code, requests. Same seed, same text. */
export class LogText {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns the next lines, of about `bytes` bytes in all. */
  lines(bytes: number): string {
    const lines: string[] = [];
    for (let length = 0; length < bytes; ) {
      const line = this.#line();
      lines.push(line);
      length += line.length + 1;
    }
    return lines.join('\n');
  }

  #line(): string {
    const [a, b, c] = [this.#word(), this.#word(), this.#word()];
    const number = this.#below(100_000);
    switch (this.#below(8)) {
      case 0:
        return `2026-11-${10 + this.#below(20)}T12:${10 + this.#below(50)}:${10 + this.#below(50)}Z INFO ${a}::${b} - ${c} ${number}`;
      case 1:
        return `    at ${this.#name()}.${a} (/home/dev/app/src/${b}/${c}.ts:${this.#below(900)}:${this.#below(80)})`;
      case 2:
        return `  ✓ ${a} ${b} ${c} (${this.#below(300)} ms)`;
      case 3:
        return `[${this.#below(900)}/900] cc -O2 -Wall -c src/${a}_${b}.c -o build/${c}-${this.#hash()}.o`;
      case 4:
        return `export const ${this.#name()} = async (${a}: string, ${b}: number) => ${c}(${a}, ${number});`;
      case 5:
        return `src/${a}/${b}.rs:${this.#below(900)}:${this.#below(80)}: warning: unused variable: \`${c}\``;
      case 6:
        return `GET /api/${a}/${this.#hash()}?${b}=${number} 200 ${this.#below(900)}ms "Mozilla/5.0 (X11; Linux x86_64)"`;
      default:
        return `${a} ${b} ${c} ${this.#word()} ${this.#word()}`;
    }
  }

  #word(): string {
    return WORDS[this.#below(WORDS.length)] ?? '';
  }

  /** Returns a name in camel case. */
  #name(): string {
    const second = this.#word();
    return this.#word() + second.charAt(0).toUpperCase() + second.slice(1);
  }

  #hash(): string {
    return this.#below(0x7fffffff).toString(16);
  }

  /** Returns a pseudorandom integer below `limit`, by Mulberry32. */
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  }
}
