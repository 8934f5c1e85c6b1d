import type { Run } from '../run/context.ts';
import type { Value } from '../values/value.ts';

/** Types of operands and results, as the table of built-in functions prints them. `|` joins alternatives. */
type TypeSpec = string;

/** One built-in function. It is pure: its result depends on its operands and on the run only. */
export interface Builtin {
  readonly name: string;
  readonly theme: string;
  readonly args: readonly TypeSpec[];
  readonly result: TypeSpec;
  /** The function returns an array of results, and the call has each of them in turn. */
  readonly relation?: boolean;
  /**
   * @returns undefined when the expression around the call is undefined
   * @throws BuiltinError when an operand is refused
   */
  readonly apply: (args: readonly Value[], run: Run) => Value | undefined;
}

/** One row of a theme: name, types of the operands, type of the result, function. */
export type Row = readonly [
  name: string,
  args: readonly TypeSpec[],
  result: TypeSpec,
  apply: Builtin['apply'],
  kind?: 'relation',
];

/** Builds the functions of one theme from their rows. */
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
