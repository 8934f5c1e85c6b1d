import { MISSING } from '#shared/base/reasons/sentence.ts';
import { lastFailures } from '#shared/base/reasons/steps.ts';
import { sealsOfSlot } from '../../model/grades.ts';
import { type StateName, stateOfWord, worstOf } from '../../model/states.ts';
import { count, listed } from '../../model/words.ts';
import { stepsOf } from '../../parts/reasons/model.ts';
import type { Trail } from '../operations.ts';

/** One place of the grid: what the template asks of the trail or of an artifact, and what was reported for it. */
export interface Slot {
  /** Name of the artifact in the template; null for the trail as a whole. */
  scope: string | null;
  name: string;
  type: string;
  state: StateName;
  /** Id of the latest report; null if there is none. */
  attestation: string | null;
  /** Id of the report whose verdict was overridden. */
  overridden: string | null;
  /** Whether the override says that the slot is compliant. */
  compliant: boolean | null;
  /** Whether no template asks for it. */
  unexpected: boolean;
  /** What is known of who made the latest report. */
  seals: readonly StateName[];
  /** When the latest report was made, in seconds; null if there is none, or if its event is not among those shown. */
  at: number | null;
}

/** A column of the grid: the trail, or an artifact. */
export interface Scope {
  name: string | null;
  fingerprint: string | null;
  /** Whether the template asks for the artifact and nobody reported it. */
  missing: boolean;
  unexpected: boolean;
  state: StateName;
}

interface Grid {
  scopes: Scope[];
  rows: { name: string; slots: Slot[][] }[];
}

type StatusEntry = Trail['compliance_status']['attestations_statuses'][number];

const slotOf = (scope: string | null, entry: StatusEntry, times: ReadonlyMap<string, number>): Slot => ({
  scope,
  name: entry.attestation_name,
  type: entry.attestation_type,
  state: slotState(entry),
  attestation: entry.attestation_id,
  overridden: entry.overridden_attestation_id,
  compliant: entry.is_compliant,
  unexpected: entry.unexpected,
  seals: sealsOfSlot(entry),
  at: times.get(entry.attestation_id ?? '') ?? null,
});

/** The state of what the template asks or what was reported, as lists and single trails answer it. */
export function slotState(
  entry: Pick<StatusEntry, 'status' | 'is_compliant' | 'overridden_attestation_id'>,
): StateName {
  if (entry.status === 'MISSING') return 'missing';
  // An override may also say that something is not compliant. That must look like every other failure.
  if (entry.is_compliant === false) return 'non-compliant';
  return entry.overridden_attestation_id === null ? 'compliant' : 'overridden';
}

/** All slots: those of the trail first, then those of each artifact, in the order of the API. */
export function slotsOf({ compliance_status: status, events }: Trail): Slot[] {
  const times = new Map(events.map((event) => [String(event['attestation_id']), event.timestamp]));
  return [
    ...status.attestations_statuses.map((entry) => slotOf(null, entry, times)),
    ...Object.entries(status.artifacts_statuses).flatMap(([name, artifact]) =>
      artifact.attestations_statuses.map((entry) => slotOf(name, entry, times)),
    ),
  ];
}

/** The columns of the grid: the trail if anything is asked of it or reported for it, then the artifacts. */
function scopesOf({ compliance_status: status }: Trail): Scope[] {
  const artifacts = Object.entries(status.artifacts_statuses).map(([name, artifact]) => ({
    name,
    fingerprint: artifact.artifact_fingerprint,
    missing: artifact.status === 'MISSING',
    unexpected: artifact.unexpected,
    state: stateOfWord(artifact.status),
  }));
  const own = status.attestations_statuses.map((entry) => slotState(entry));
  const trail = { name: null, fingerprint: null, missing: false, unexpected: false };
  return own.length > 0 ? [{ ...trail, state: own.reduce(worstOf) }, ...artifacts] : artifacts;
}

/**
 * Lays the slots out: a row for each name, a column for the trail and for each artifact. A cell can hold several slots,
 * because a name may be reported with several types.
 */
export function gridOf(trail: Trail): Grid {
  const scopes = scopesOf(trail);
  const rows = new Map<string, Slot[][]>();
  for (const slot of slotsOf(trail)) {
    const row = rows.get(slot.name) ?? scopes.map(() => []);
    rows.set(slot.name, row);
    row[scopes.findIndex(({ name }) => name === slot.scope)]?.push(slot);
  }
  return { scopes, rows: [...rows].map(([name, slots]) => ({ name, slots })) };
}

/** What is asked for and not there. An artifact that nobody reported stands for itself and for all its slots. */
export interface Missing {
  scope: string | null;
  /** Name of the attestation; null if the artifact itself is missing. */
  name: string | null;
  type: string;
  fingerprint: string | null;
}

export function missingOf(trail: Trail): Missing[] {
  const artifacts = new Map(scopesOf(trail).map((scope) => [scope.name, scope]));
  const absent = [...artifacts.values()].filter(({ missing }) => missing);
  return [
    ...absent.map(({ name }) => ({ scope: name, name: null, type: 'artifact', fingerprint: null })),
    ...slotsOf(trail)
      .filter(({ state }) => state === 'missing')
      .map(({ scope, name, type }) => ({
        scope,
        name,
        type,
        fingerprint: artifacts.get(scope)?.fingerprint ?? null,
      })),
  ];
}

export const overriddenOf = (trail: Trail): Slot[] => slotsOf(trail).filter(({ overridden }) => overridden !== null);
const failedOf = (trail: Trail): Slot[] => slotsOf(trail).filter(({ state }) => state === 'non-compliant');

/** The name of a slot as people write it: `app / sbom`, or `review` for the trail. */
export const slotName = (scope: string | null, name: string): string => (scope === null ? name : `${scope} / ${name}`);

/** The verdict and its reason. */
export function trailSentence(trail: Trail): string {
  const slots = slotsOf(trail);
  const failed = failedOf(trail).map(({ scope, name }) => slotName(scope, name));
  const missing = missingOf(trail);
  const names = missing.map(({ scope, name }) => (name === null ? `artifact ${scope}` : slotName(scope, name)));
  const asked =
    slots.filter(({ unexpected }) => !unexpected).length + missing.filter(({ name }) => name === null).length;
  const open = `${listed(names)} ${names.length === 1 ? 'is' : 'are'} missing (${names.length} of ${asked})`;
  switch (stateOfWord(trail.compliance_state)) {
    case 'compliant':
      return compliantSentence(slots, asked, overriddenOf(trail).length);
    case 'incomplete':
      return `Incomplete: ${open}.`;
    default: {
      const known = failed.length === 0 ? 'an artifact was reported as not compliant' : `${listed(failed)} failed`;
      const reason = failureText(trail) ?? known;
      return `Not compliant: ${reason}${names.length === 0 ? '.' : `; ${open}.`}`;
    }
  }
}

/** What the last steps say about what failed; null if the trail has no steps. What is missing is said elsewhere. */
function failureText({ reasons }: Trail): string | null {
  const failures = lastFailures(stepsOf(reasons)).filter(({ saw }) => saw !== MISSING);
  const [first, ...others] = [...new Set(failures.map(({ says }) => says))];
  if (first === undefined) return null;
  return `${first.replace(/\.$/, '')}${others.length === 0 ? '' : ` (and ${count(others.length, 'other failure')})`}`;
}

function compliantSentence(slots: readonly Slot[], asked: number, overridden: number): string {
  const changed =
    overridden === 0 ? '' : ` ${count(overridden, 'verdict')} ${overridden === 1 ? 'was' : 'were'} overridden.`;
  if (slots.length === 0) return 'Compliant: the template asks for nothing, and nothing failed.';
  if (asked === 0)
    return `Compliant: the template asks for nothing, and nothing of ${count(slots.length, 'report')} failed.${changed}`;
  return `Compliant: everything that the template asks for is there and passed (${asked} of ${asked}).${changed}`;
}

/** Everything that comes to a trail changes the time of its last report or its verdict. */
export const versionOf = ({ last_modified_at: at, compliance_state: state, events }: Trail): string =>
  `${at} ${state} ${events.length}`;

/** The trail with the steps of an answer that was asked for them, if nothing came to the trail between the two answers. */
export const withSteps = (head: Trail, explained: Trail): Trail => ({
  ...head,
  ...(versionOf(head) === versionOf(explained)
    ? { reasons: explained.reasons, reasons_left_out: explained.reasons_left_out }
    : { reasons: [], reasons_left_out: 0 }),
});

/** Evidence that does not count any more. */
export interface RecalledEvidence {
  scope: string | null;
  name: string;
  type: string;
  id: string;
  /** Names of the recalls that it falls under. */
  recalls: readonly string[];
  /** When the first of them was saved, in seconds. */
  since: number;
}

/** What was recalled of a trail and of its artifacts. */
export function recalledOf({ compliance_status: status }: Trail): RecalledEvidence[] {
  const own = { scope: null, recalled: status.recalled ?? [] };
  const artifacts = Object.entries(status.artifacts_statuses).map(([scope, { recalled = [] }]) => ({
    scope,
    recalled,
  }));
  const all = [...artifacts, own].flatMap(({ scope, recalled }) =>
    recalled.map(({ attestation_name: name, attestation_type: type, attestation_id: id, recalls }) => ({
      ...{ scope, name, type, id },
      recalls: recalls.map((one) => one.name),
      since: Math.min(...recalls.map((one) => one.since)),
    })),
  );
  // One that is about an artifact may stand in the entry of the trail, too.
  return all.filter(({ id }, n) => all.findIndex((other) => other.id === id) === n);
}
