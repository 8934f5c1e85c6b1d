import { Chance, Expressions, type Kind } from './rego-expressions.ts';

/** The input that generated programs read. */
export const INPUT = {
  numbers: [1, 2.5, -3, 1e21],
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

/** One policy with many small rules, each of which tells what it found through `violations`. */
export function generateProgram(seed: number): string {
  const chance = new Chance(seed);
  const rules = Array.from({ length: 18 }, (_, index) => rule(chance, index));
  return [
    'package policy',
    'import rego.v1',
    'default allow := false',
    'allow if count(violations) == 0',
    ...rules,
  ].join('\n\n');
}

function rule(chance: Chance, index: number): string {
  const known = new Map<string, Kind>();
  const body: string[] = [];
  const make = (kind: Kind, depth: number) => new Expressions(chance, known).make(kind, depth);
  for (let count = chance.below(3); count > 0; count -= 1) body.push(binding(chance, known, make));
  const shape = chance.below(10);
  const value = make('any', 3);
  if (shape === 0) body.push(`not ${make('boolean', 2)}`);
  if (shape === 1) body.push(make('boolean', 3));
  if (shape === 2) body.push(`every e in ${make('array', 1)} { e != ${make('any', 1)} }`);
  if (shape === 3) body.push(`some c in input.trails[_].checks; c.ok == ${chance.pick(['true', 'false'])}`);
  if (shape === 4) body.push(`input.${chance.pick(['list', 'map', 'deep', 'trails'])}[key${index}] = found${index}`);
  if (shape === 7) body.push(walked(chance, index));
  const shuffled = chance.below(4) === 0 ? body.map((line) => line.replace(/^(v\d) := /, '$1 = ')).toReversed() : body;
  const shown =
    shape === 4 ? `[key${index}, found${index}, ${value}]` : shape === 7 ? `[w${index}, ${value}]` : `[${value}]`;
  const overridden = shape === 5 ? ` with input.list as ${chance.pick(['[9, 8]', '{"a": 1}', 'input.words'])}` : '';
  const lines = [...shuffled, `shown := ${shown}${overridden}`].map((line) => `\t${line}`).join('\n');
  if (shape === 6) return helped(chance, index, lines);
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
