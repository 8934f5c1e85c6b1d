import { type StateName, stateOfWord } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import { slotName, slotState } from '../../trail/model/trail.ts';
import type { TrailSummary } from '../../trail/operations.ts';

type TrailSlot = NonNullable<TrailSummary['slots']>[number];

/** A column of the grid: an attestation that the template asks for or that somebody reported. */
interface GridColumn {
  key: string;
  /** Name of the artifact in the template; null for the trail as a whole. */
  scope: string | null;
  name: string;
  /** Whether the template asks for it in at least one of the trails. */
  asked: boolean;
}

/** Columns that stand side by side: those of the trail, or those of one artifact. */
export interface GridGroup {
  scope: string | null;
  columns: GridColumn[];
}

export interface GridCell {
  attestation: string | null;
  type: string;
  state: StateName;
}

const keyOf = (scope: string | null, name: string): string => JSON.stringify([scope, name]);

/**
 * The columns for some trails, the newest first: the order of the newest trail, then what only older trails have. In each
 * group, what no template asks for comes last.
 */
export function groupsOf(trails: readonly TrailSummary[]): GridGroup[] {
  const groups = new Map<string | null, Map<string, GridColumn>>();
  for (const { slots = [], artifacts = [] } of trails) {
    for (const { artifact_name: scope, attestation_name: name, unexpected } of slots) {
      const columns = groups.get(scope) ?? new Map<string, GridColumn>();
      groups.set(scope, columns);
      const column = columns.get(name) ?? { key: keyOf(scope, name), scope, name, asked: false };
      columns.set(name, column);
      column.asked ||= !unexpected;
    }
    for (const { artifact_name: scope } of artifacts) if (!groups.has(scope)) groups.set(scope, new Map());
  }
  return [...groups]
    .toSorted(([one], [other]) => Number(one !== null) - Number(other !== null))
    .map(([scope, columns]) => ({
      scope,
      columns: [...columns.values()].toSorted((one, other) => Number(other.asked) - Number(one.asked)),
    }));
}

/** Most columns that the grid shows at first. */
export const MOST_COLUMNS = 12;

/** Keeps the columns in which most is missing or failed, in their order, and says how many are left out. */
export function foldedGroups(
  groups: readonly GridGroup[],
  trails: readonly TrailSummary[],
): { groups: GridGroup[]; folded: number } {
  const all = groups.flatMap(({ columns }) => columns);
  if (all.length <= MOST_COLUMNS) return { groups: [...groups], folded: 0 };
  const problems = new Map<string, number>();
  for (const slot of trails.flatMap(({ slots = [] }) => slots)) {
    const key = keyOf(slot.artifact_name, slot.attestation_name);
    if (isProblem(slotState(slot))) problems.set(key, (problems.get(key) ?? 0) + 1);
  }
  const ranked = all.toSorted((one, other) => (problems.get(other.key) ?? 0) - (problems.get(one.key) ?? 0));
  const kept = new Set(ranked.slice(0, MOST_COLUMNS));
  return {
    groups: groups.map(({ scope, columns }) => ({ scope, columns: columns.filter((column) => kept.has(column)) })),
    folded: all.length - MOST_COLUMNS,
  };
}

const isProblem = (state: StateName): boolean => state === 'missing' || state === 'non-compliant';

/** What a trail has in each column. A name may be reported with several types, so a cell can hold several. */
export function cellsOf({ slots = [] }: TrailSummary): Map<string, GridCell[]> {
  const cells = new Map<string, GridCell[]>();
  for (const slot of slots) {
    const key = keyOf(slot.artifact_name, slot.attestation_name);
    const cell = { attestation: slot.attestation_id, type: slot.attestation_type, state: slotState(slot) };
    cells.set(key, [...(cells.get(key) ?? []), cell]);
  }
  return cells;
}

/** What is wrong with a trail: `review is missing`, `app / unit failed`. Empty for a compliant trail. */
export function reasonOf({ slots = [], artifacts = [] }: TrailSummary): string {
  const named = (state: StateName) =>
    slots
      .filter((slot: TrailSlot) => slotState(slot) === state)
      .map(({ artifact_name: scope, attestation_name: name }) => slotName(scope, name));
  const absent = artifacts
    .filter(({ status }) => status === 'MISSING')
    .map(({ artifact_name: name }) => `artifact ${name}`);
  const missing = [...absent, ...named('missing')];
  const failed = named('non-compliant');
  return [
    failed.length > 0 && `${listed(failed)} failed`,
    missing.length > 0 && `${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`,
  ]
    .filter((part) => part !== false)
    .join('; ');
}

const STATE_WORDS = [
  ['non-compliant', 'not compliant'],
  ['incomplete', 'incomplete'],
  ['compliant', 'compliant'],
] as const;

/** How many trails are in each state: `1 incomplete, 13 compliant`. */
const countedStates = (trails: readonly TrailSummary[]): string =>
  STATE_WORDS.map(([state, word]) => [trails.filter((one) => stateOfWord(one.compliance_state) === state).length, word])
    .filter(([number]) => number !== 0)
    .map((parts) => parts.join(' '))
    .join(', ');

/**
 * What the page of a flow says first.
 * @param trails the newest trails, without filters
 * @param total all trails of the flow
 */
export function flowSentence(trails: readonly TrailSummary[], total: number): string {
  // The state of a flow is that of the trail which was reported last. It need not be the newest one.
  const latest = trails.toSorted((one, other) => other.last_modified_at - one.last_modified_at)[0];
  if (!latest) return 'No trail was reported yet.';
  const reason = reasonOf(latest);
  const state = stateOfWord(latest.compliance_state);
  const word = state === 'non-compliant' ? 'not compliant' : state;
  const verdict = `The latest trail, ${latest.name}, is ${word}${state === 'compliant' || reason === '' ? '' : `: ${reason}`}.`;
  if (trails.length === 1) return verdict;
  const which =
    total > trails.length
      ? `the newest ${trails.length} of ${total.toLocaleString('en')} trails`
      : `${count(total, 'trail')}`;
  return `${verdict} Of ${which}: ${countedStates(trails)}.`;
}
