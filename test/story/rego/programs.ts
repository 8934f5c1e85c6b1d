import { Chance, Expressions, type Kind } from './expressions.ts';

/** The input that generated programs read. */
export const INPUT = {
  numbers: [1, 2.5, -3, 1e20],
  words: ['b', 'Äpfel', 'x y', ''],
  list: [3, 'b', { k: [1, null] }, [2], true, 3],
  map: { b: 1, a: 'two', é: null, n: [1, 2] },
  deep: { x: { y: [1, { z: false }] }, list: [[1, 2], [3]], flag: true },
  trails: [
    {
      name: 't1',
      status: 'COMPLIANT',
      checks: [
        { id: 1, ok: true },
        { id: 2, ok: false },
      ],
    },
    { name: 't2', status: 'NON-COMPLIANT', checks: [] },
    { name: 't3', checks: [{ id: 3, ok: true }] },
  ],
} as const;

/** The parameters of generated programs. */
export const PARAMS = { limit: 2, name: 'prod', levels: ['low', 'high'] } as const;

/** Rules of one program. */
const RULES = 18;

/** Which language a program is written in: `newer` imports `and`, `or` and bodies of `not`. */
export type Language = 'plain' | 'newer';

/**
 * One policy of several programs. A program has many small rules, each of which reports what it found through
 * `violations`. The same seed gives the same rules, with other numbers in their names.
 */
export function generatePolicy(seeds: readonly number[], language: Language): string {
  const rules = seeds.flatMap((seed, at) => {
    const chance = new Chance(seed);
    return Array.from({ length: RULES }, (_, index) => rule(chance, at * RULES + index, language));
  });
  const imports = ['and', 'or', 'not'].map((word) => `import future.keywords.${word}`).join('\n');
  return [
    'package policy',
    language === 'newer' ? imports : 'import rego.v1',
    'default allow := false',
    'allow if count(violations) == 0',
    ...rules,
  ].join('\n\n');
}

function rule(chance: Chance, index: number, language: Language): string {
  const known = new Map<string, Kind>();
  const body: string[] = [];
  const make = (kind: Kind, depth: number) => new Expressions(chance, known).make(kind, depth);
  for (let count = chance.below(3); count > 0; count -= 1) body.push(binding(chance, known, make));
  const shape = chance.below(16);
  const value = make('any', 3);
  if (shape === 0) body.push(`not ${make('boolean', 2)}`);
  if (shape === 1) body.push(make('boolean', 3));
  if (shape === 2) body.push(`every e in ${make('array', 1)} { e != ${make('any', 1)} }`);
  if (shape === 3) body.push(`some c in input.trails[_].checks; c.ok == ${chance.pick(['true', 'false'])}`);
  if (shape === 4) body.push(`input.${chance.pick(['list', 'map', 'deep', 'trails'])}[key${index}] = found${index}`);
  if (shape === 7) body.push(walked(chance, index));
  if (shape === 8 && language === 'newer') body.push(logical(chance, make));
  const shuffled = chance.below(12) === 0 ? body.map((line) => line.replace(/^(v\d) := /, '$1 = ')).toReversed() : body;
  const shown =
    shape === 4 ? `[key${index}, found${index}, ${value}]` : shape === 7 ? `[w${index}, ${value}]` : `[${value}]`;
  const overridden = shape === 5 ? ` with input.list as ${chance.pick(['[9, 8]', '{"a": 1}', 'input.words'])}` : '';
  const lines = [...shuffled, `shown := ${shown}${overridden}`].map((line) => `\t${line}`).join('\n');
  if (shape === 6) return helped(chance, index, lines);
  if (shape === 9) return `violations contains ${template(chance, index)} if {\n${lines}\n}`;
  if (shape === 10) return overlapping(chance, index, lines);
  if (shape === 11) return named(chance, index, lines);
  return `violations contains sprintf("${index} %v %s", [shown, json.marshal(shown)]) if {\n${lines}\n}`;
}

/** A statement that walks documents by variables in references. */
function walked(chance: Chance, index: number): string {
  const name = `w${index}`;
  return chance.pick([
    `input.trails[${name}].status == "COMPLIANT"`,
    `input.trails[_].checks[${name}].ok`,
    `input.list[${name}] == input.list[_]`,
    `input.map[${name}] == input.list[_]`,
    `startswith(input.words[${name}], "b")`,
    `[${name}, _] = input.deep.list[_]`,
    `{"id": ${name}, "ok": true} = input.trails[_].checks[_]`,
    `count(input.trails[${name}].checks) > 1`,
    `not input.list[3][5]\n\t${name} = input.words[_]`,
    `input.numbers[${name}] != input.numbers[0]`,
    `some ${name}, {"k": [x, _]} in input.list; x == 1`,
    `walk(input.deep, [${name}, true])`,
  ]);
}

/** A statement with `and`, `or` and bodies of `not`. */
function logical(chance: Chance, make: (kind: Kind, depth: number) => string): string {
  const one = () => `(${make('boolean', 1)})`;
  return chance.pick([
    `${one()} and ${one()}`,
    `${one()} or ${one()} and ${one()}`,
    `(${one()} or ${one()}) and not ${one()}`,
    `not { some q in ${make('array', 1)}; q == ${make('any', 1)} }`,
    `not { q := ${make('any', 1)}; is_string(q) }`,
    `not { ${one()} or not input.missing.deep }`,
    `{ some q in input.trails; q.status == "COMPLIANT" } and { q := ${make('number', 1)}; q > 1 }`,
    `not startswith(input.missing, "b") or ${one()}`,
    `count(input.missing) > 0 or { not ${one()} }`,
  ]);
}

/** A text with the value in it. The reference refuses some larger expressions that read variables of the body. */
function template(chance: Chance, index: number): string {
  return chance.pick([
    `$"${index} {shown} \\{x}"`,
    `$"${index} {shown}{input.missing} {count(input.words)}"`,
    `$\`${index} {shown} {[1, input.trails[1].name]} {to_number("x")}\``,
    `$"${index} {shown} {input.list with input.list as [1]} {[e | some e in input.words]}"`,
    `$"${index} {{"k": input.map}} {shown} {$"nested {input.deep.flag}"}"`,
  ]);
}

/** Rules whose names have variables, and rules with constant names that add to the same document. */
function overlapping(chance: Chance, index: number, lines: string): string {
  const report = `violations contains sprintf("${index} %v", [o${index}])`;
  return chance.pick([
    `o${index}[w].r := shown if {\n\tsome w in input.words\n${lines}\n}\n\no${index}.z.r := "constant"\n\no${index}.z.s.t := 1\n\n${report}`,
    `o${index}[w] contains shown if {\n\tsome w in input.words\n${lines}\n}\n\no${index}.b contains "constant"\n\n${report}`,
    `o${index}.x[w].y contains shown if {\n\tsome w in input.words\n${lines}\n}\n\no${index}.x.b.y contains 1\n\n${report}`,
    `o${index}[w][n] := shown if {\n\tsome n, w in input.words\n${lines}\n}\n\no${index}.b["5"] := 1 if input.missing\n\n${report}`,
  ]);
}

/** A rule whose name has keywords in it. */
function named(chance: Chance, index: number, lines: string): string {
  const word = chance.pick(['if', 'in', 'every', 'with', 'as', 'package', 'null']);
  return `${word}.r${index}.else := shown if {\n${lines}\n}\n\nviolations contains sprintf("${index} %v", [data.policy.${word}.r${index}])`;
}

function binding(chance: Chance, known: Map<string, Kind>, make: (kind: Kind, depth: number) => string): string {
  const name = `v${known.size}`;
  const kind = chance.pick(['number', 'string', 'array', 'object', 'set', 'any'] as const);
  if (chance.below(3) === 0) {
    const line = `some ${name} in ${make(chance.pick(['array', 'set', 'object']), 1)}`;
    known.set(name, 'any');
    return line;
  }
  const line = `${name} := ${make(kind, 2)}`;
  known.set(name, kind);
  return line;
}

/** The same body as a rule of its own kind: complete with `else`, a function, a partial object. */
function helped(chance: Chance, index: number, lines: string): string {
  const report = (call: string) => `violations contains sprintf("${index} %v", [${call}])`;
  switch (chance.below(4)) {
    case 0:
      return `h${index} := shown if {\n${lines}\n\tcount(shown) > 5\n} else := "other" if {\n\tinput.deep.flag\n}\n\n${report(`h${index}`)}`;
    case 1:
      return `h${index}(x) := [x, shown] if {\n${lines}\n}\n\n${report(`[h${index}(y) | some y in input.words]`)}`;
    case 2:
      return `h${index}[json.marshal([w, shown])] := shown if {\n\tsome w in input.words\n${lines}\n}\n\n${report(`h${index}`)}`;
    default:
      return `default h${index} := null\n\nh${index} := shown if {\n${lines}\n}\n\n${report(`h${index}`)}`;
  }
}
