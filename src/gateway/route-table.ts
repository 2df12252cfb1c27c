/** The methods of each path, which distinguish a wrong method from an unknown route. */
export class RouteTable {
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  /** @param url - as Fastify writes it, with `:id`, or `*` at its end */
  add(method: string | readonly string[], url: string): void {
    const route = this.#routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    this.#routes.set(url, route);
  }

  /** Returns the methods in alphabetical order; none for a path that is no route. */
  methodsOf(url: string): string[] {
    const [path = ''] = url.split('?', 1);
    const routes = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(routes.flatMap(({ methods }) => [...methods]))].sort();
  }
}

function patternOf(url: string): RegExp {
  const literal = url.replace(/\/$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replace(/\\\*$/, '.*')}/?$`);
}
