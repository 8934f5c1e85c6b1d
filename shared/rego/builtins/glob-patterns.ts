import { BuiltinError } from '../errors.ts';
import type { Run } from '../run/context.ts';
import { type Args, stringAt } from './operands.ts';

/** Code points that one place of a pattern accepts, as pairs of first and last. */
type Accepted = readonly (readonly [number, number])[];

interface Step {
  readonly accepted: Accepted;
  /** The step may be left out and repeated. */
  readonly loops: boolean;
}

const ANY: Accepted = [[0, 0x10ffff]];

/**
 * Whether some text matches both patterns. Patterns have characters, `.`, ranges (`[a-z0]`), `*` and `+` after one of
 * them, and `\` before a character with a meaning.
 */
export function hasCommonText(args: Args, run: Run): boolean {
  const [left, right] = [steps(stringAt(args, 0)), steps(stringAt(args, 1))];
  run.budget.spend((left.length + 1) * (right.length + 1));
  const width = right.length + 1;
  const seen = new Set<number>([0]);
  const open: number[] = [0];
  const visit = (i: number, j: number) => {
    const place = i * width + j;
    if (!seen.has(place)) open.push(place);
    seen.add(place);
  };
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const [i, j] = [Math.floor(place / width), place % width];
    const [a, b] = [left[i], right[j]];
    if (a === undefined && b === undefined) return true;
    if (a?.loops === true) visit(i + 1, j);
    if (b?.loops === true) visit(i, j + 1);
    if (a !== undefined && b !== undefined && overlap(a.accepted, b.accepted, run)) {
      visit(a.loops ? i : i + 1, b.loops ? j : j + 1);
    }
  }
  return false;
}

function overlap(a: Accepted, b: Accepted, run: Run): boolean {
  run.budget.spend(a.length * b.length);
  return a.some(([first, last]) => b.some(([from, to]) => first <= to && from <= last));
}

function steps(pattern: string): Step[] {
  const points = [...pattern];
  const made: Step[] = [];
  for (let at = 0; at < points.length; at += 1) {
    const point = points[at] ?? '';
    if (point === '*' || point === '+') throw new BuiltinError(`pattern has ${point} without something before it`);
    let accepted: Accepted = [single(point)];
    if (point === '.') accepted = ANY;
    if (point === '\\') {
      at += 1;
      accepted = [single(points[at])];
    }
    if (point === '[') {
      const end = closing(points, at);
      accepted = ranges(points.slice(at + 1, end));
      at = end;
    }
    if (point === ']') throw new BuiltinError('pattern has ] without [');
    const repeat = points[at + 1];
    if (repeat === '*' || repeat === '+') at += 1;
    if (repeat !== '*') made.push({ accepted, loops: false });
    if (repeat === '*' || repeat === '+') made.push({ accepted, loops: true });
  }
  return made;
}

function single(point: string | undefined): readonly [number, number] {
  const code = point?.codePointAt(0);
  if (code === undefined) throw new BuiltinError('pattern ends after \\');
  return [code, code];
}

function closing(points: readonly string[], open: number): number {
  for (let at = open + 1; at < points.length; at += 1) {
    if (points[at] === '\\') at += 1;
    else if (points[at] === ']') return at;
  }
  throw new BuiltinError('pattern has [ without ]');
}

function ranges(points: readonly string[]): Accepted {
  const made: (readonly [number, number])[] = [];
  for (let at = 0; at < points.length; at += 1) {
    if (points[at] === '\\') at += 1;
    const [first] = single(points[at]);
    if (points[at + 1] !== '-' || at + 2 >= points.length) {
      made.push([first, first]);
      continue;
    }
    at += points[at + 2] === '\\' ? 3 : 2;
    const [last] = single(points[at]);
    if (last < first) throw new BuiltinError('pattern has a range that is not in order');
    made.push([first, last]);
  }
  if (made.length === 0) throw new BuiltinError('pattern has an empty range');
  return made;
}
