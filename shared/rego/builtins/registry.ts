import type { Run } from '../run/context.ts';
import type { Value } from '../values/value.ts';

/** Types of operands and results, as the table of built-ins names them; alternatives are joined by `|`. */
export type TypeSpec = string;

/** One pure function of the language. */
export interface Builtin {
  readonly name: string;
  readonly theme: string;
  readonly args: readonly TypeSpec[];
  readonly result: TypeSpec;
  /** Gives any number of results, one after the other, as an array. */
  readonly relation?: boolean;
  /**
   * @returns undefined where the expression around the call is undefined
   * @throws BuiltinError where an operand is refused
   */
  readonly apply: (args: readonly Value[], run: Run) => Value | undefined;
}

/** Short form in which the themes list their functions: name, operand types, result type, function. */
export type Row = readonly [
  name: string,
  args: readonly TypeSpec[],
  result: TypeSpec,
  apply: Builtin['apply'],
  kind?: 'relation',
];

/** Makes built-ins of rows. */
export function theme(name: string, rows: readonly Row[]): Builtin[] {
  return rows.map(([builtin, args, result, apply, kind]) => ({
    name: builtin,
    theme: name,
    args,
    result,
    relation: kind === 'relation',
    apply,
  }));
}
