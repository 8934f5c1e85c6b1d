/** A source of chance that gives the same series for the same seed. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** An integer from 0 below `limit`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick<T>(options: readonly [T, ...T[]]): T {
    return options[this.below(options.length)] ?? options[0];
  }
}

/** Types of expressions. */
export type Kind = 'number' | 'string' | 'boolean' | 'array' | 'object' | 'set' | 'any';

/** Makes expressions that are well typed, so that the reference's type checker lets them pass. */
export class Expressions {
  private readonly chance: Chance;
  /** Variables bound where the expression will stand, with what is known of their type. */
  private readonly known: ReadonlyMap<string, Kind>;

  constructor(chance: Chance, known: ReadonlyMap<string, Kind>) {
    this.chance = chance;
    this.known = known;
  }

  make(kind: Kind, depth: number): string {
    const names = [...this.known].filter(([, type]) => type === kind).map(([name]) => name);
    const [first, ...others] = names;
    if (first !== undefined && this.chance.below(3) === 0) return this.chance.pick([first, ...others]);
    const simple = depth <= 0 || this.chance.below(4) === 0;
    switch (kind) {
      case 'number':
        return simple ? this.number() : this.numeric(depth - 1);
      case 'string':
        return simple ? this.string() : this.textual(depth - 1);
      case 'boolean':
        return simple ? this.chance.pick(['true', 'false']) : this.logical(depth - 1);
      case 'array':
        return simple
          ? this.chance.pick(['input.list', 'input.words', '[1, "a", null]', '[]'])
          : this.listed(depth - 1);
      case 'object':
        return simple
          ? this.chance.pick(['input.map', 'input.deep', '{"a": 1, "z": {"y": 2}}'])
          : this.mapped(depth - 1);
      case 'set':
        return simple ? this.chance.pick(['{1, 2, 3}', '{"a", "b"}', 'set()']) : this.collected(depth - 1);
      case 'any':
        return this.anything(depth);
    }
  }

  private number(): string {
    return this.chance.pick([
      '0',
      '1',
      '2',
      '3',
      '-7',
      '10',
      '2.5',
      '0.1',
      '1.5e3',
      '10.5',
      '9007199254740993',
      '123456789012345678901234567890',
      'input.numbers[0]',
      'input.numbers[1]',
      'input.numbers[2]',
      'input.numbers[3]',
      'data.params.limit',
    ]);
  }

  private string(): string {
    return this.chance.pick([
      '"a"',
      '""',
      '"Hello, World"',
      '"é€😀"',
      '"a,b,,c"',
      '"  pad "',
      '`raw\\n`',
      '"line\\nbreak <&>"',
      '"12"',
      '"1.50"',
      'input.words[0]',
      'input.words[1]',
      'input.words[2]',
      'data.params.name',
    ]);
  }

  private numeric(depth: number): string {
    const n = () => this.make('number', depth);
    const s = () => this.make('string', depth);
    switch (this.chance.below(16)) {
      case 0:
        return `(${n()} + ${n()})`;
      case 1:
        return `(${n()} - ${n()})`;
      case 2:
        return `(${n()} * ${n()})`;
      case 3:
        return `(${n()} / ${n()})`;
      case 4:
        return `(${n()} % ${n()})`;
      case 5:
        return `round(${n()})`;
      case 6:
        return `ceil(${n()})`;
      case 7:
        return `floor(${n()})`;
      case 8:
        return `abs(${n()})`;
      case 9:
        return `count(${this.make(this.chance.pick(['string', 'array', 'object', 'set']), depth)})`;
      case 10:
        return `sum([${n()}, ${n()}])`;
      case 11:
        return `product([${n()}, ${n()}])`;
      case 12:
        return `indexof(${s()}, ${s()})`;
      case 13:
        return `to_number(${s()})`;
      case 14:
        return `max([${n()}, ${n()}, ${n()}])`;
      default:
        return `min({${n()}, ${n()}})`;
    }
  }

  private textual(depth: number): string {
    const n = () => this.make('number', depth);
    const s = () => this.make('string', depth);
    const verb = this.chance.pick(['%v', '%s', '%d', '%5v|', '%-6s|', '%x', '%q', '%.1f', '%05d', '%+d']);
    switch (this.chance.below(17)) {
      case 0:
        return `concat(${s()}, [${s()}, ${s()}])`;
      case 1:
        return `lower(${s()})`;
      case 2:
        return `upper(${s()})`;
      case 3:
        return `replace(${s()}, ${s()}, ${s()})`;
      case 4:
        return `trim(${s()}, ${s()})`;
      case 5:
        return `trim_space(${s()})`;
      case 6:
        return `substring(${s()}, ${this.chance.below(4)}, ${this.chance.below(6) - 1})`;
      case 7:
        return `sprintf("${verb} ${verb}", [${this.make('any', depth)}, ${n()}])`;
      case 8:
        return `format_int(${n()}, ${this.chance.pick(['2', '8', '10', '16'])})`;
      case 9:
        return `json.marshal(${this.make('any', depth)})`;
      case 10:
        return `base64.encode(${s()})`;
      case 11:
        return `urlquery.encode(${s()})`;
      case 12:
        return `trim_${this.chance.pick(['prefix', 'suffix', 'left', 'right'])}(${s()}, ${s()})`;
      case 13:
        return `type_name(${this.make('any', depth)})`;
      case 14:
        return `regex.replace(${s()}, "${this.chance.pick(['[a-z]+', '(a)(b)?', ',', '^.', 'l*'])}", "<$0>")`;
      case 15:
        return `strings.reverse(${s()})`;
      default:
        return `hex.encode(${s()})`;
    }
  }

  private logical(depth: number): string {
    const s = () => this.make('string', depth);
    const kind = this.chance.pick(['number', 'string', 'array', 'set', 'object'] as const);
    const operator = this.chance.pick(['==', '!=', '<', '<=', '>', '>=']);
    switch (this.chance.below(9)) {
      case 0:
        return `startswith(${s()}, ${s()})`;
      case 1:
        return `contains(${s()}, ${s()})`;
      case 2:
        return `endswith(${s()}, ${s()})`;
      case 3:
        return `(${this.make('any', depth)} in ${this.make(this.chance.pick(['array', 'set', 'object']), depth)})`;
      case 4:
        return `is_${this.chance.pick(['string', 'number', 'array', 'object', 'set', 'null', 'boolean'])}(${this.make('any', depth)})`;
      case 5:
        return `regex.match("${this.chance.pick(['^[a-z]', '\\\\d+', 'b$', '(?i)HELLO'])}", ${s()})`;
      case 6:
        return `object.subset(${this.make('object', depth)}, ${this.make('object', depth)})`;
      case 7:
        return `(${this.make('any', depth)} ${operator === '==' ? '!=' : operator} ${this.make('any', depth)})`;
      default:
        return `(${this.make(kind, depth)} ${kind === 'number' || kind === 'string' ? operator : '<'} ${this.make(kind, depth)})`;
    }
  }

  private listed(depth: number): string {
    const a = () => this.make('array', depth);
    switch (this.chance.below(9)) {
      case 0:
        return `array.concat(${a()}, ${a()})`;
      case 1:
        return `array.slice(${a()}, ${this.chance.below(4) - 1}, ${this.chance.below(5)})`;
      case 2:
        return `array.reverse(${a()})`;
      case 3:
        return `split(${this.make('string', depth)}, ${this.make('string', depth)})`;
      case 4:
        return `sort(${this.make(this.chance.pick(['array', 'set']), depth)})`;
      case 5:
        return `[e | some e in ${this.make(this.chance.pick(['array', 'set', 'object']), depth)}]`;
      case 6:
        return `[[k, e] | some k, e in ${this.make(this.chance.pick(['array', 'object']), depth)}; e != ${this.make('any', depth)}]`;
      case 7:
        return `[${this.make('any', depth)}, ${this.make('any', depth)}]`;
      default:
        return `regex.split("${this.chance.pick([',', 'l+', ' *', ''])}", ${this.make('string', depth)})`;
    }
  }

  private mapped(depth: number): string {
    const o = () => this.make('object', depth);
    switch (this.chance.below(7)) {
      case 0:
        return `object.union(${o()}, ${o()})`;
      case 1:
        return `object.remove(${o()}, [${this.make('string', depth)}])`;
      case 2:
        return `object.filter(${o()}, {"a", ${this.make('string', depth)}})`;
      case 3:
        return `json.remove(${o()}, ["/a", "z/y"])`;
      case 4:
        return `{k: [e] | some k, e in ${o()}}`;
      case 5:
        return `{${this.make('string', depth)}: ${this.make('any', depth)}}`;
      default:
        return `json.filter(${o()}, ["a", "x/y"])`;
    }
  }

  private collected(depth: number): string {
    const s = () => this.make('set', depth);
    switch (this.chance.below(6)) {
      case 0:
        return `(${s()} | ${s()})`;
      case 1:
        return `(${s()} & ${s()})`;
      case 2:
        return `(${s()} - ${s()})`;
      case 3:
        return `{e | some e in ${this.make(this.chance.pick(['array', 'object']), depth)}}`;
      case 4:
        return `object.keys(${this.make('object', depth)})`;
      default:
        // The reference walks a set made of variables in no order, so only constants stand in sets.
        return this.chance.pick(['{"p", 4, null}', '{[1], {"a": 2}, 0.5}', '{{1}, {2, 3}, true}']);
    }
  }

  private anything(depth: number): string {
    if (this.chance.below(3) === 0) {
      const place = [
        'input.deep.x.y',
        'input.list[2]',
        'input.map[input.words[0]]',
        'input.missing',
        'null',
        'true',
      ] as const;
      return this.chance.pick([...place, 'object.get(input.map, "q", "none")', 'input.deep["x"]'] as const);
    }
    return this.make(this.chance.pick(['number', 'string', 'boolean', 'array', 'object', 'set']), depth - 1);
  }
}
