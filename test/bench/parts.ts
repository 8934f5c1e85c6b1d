import { billPart } from './bill/part.ts';
import { growthPart } from './growth/part.ts';
import { logPart } from './log/part.ts';
import type { Part } from './part.ts';
import { requestsPart } from './requests/part.ts';
import { wholeWayPart } from './whole-way/part.ts';

/** The parts of the benchmark, in the order in which they are measured and in which their sections stand in the page. */
export const PARTS: readonly Part<unknown>[] = [requestsPart, growthPart, wholeWayPart, logPart, billPart];

/** @throws Error if there is no such part */
export function partNamed(name: string): Part<unknown> {
  const part = PARTS.find((one) => one.name === name);
  if (!part) throw new Error(`There is no part '${name}'. The parts are: ${PARTS.map((one) => one.name).join(', ')}`);
  return part;
}
