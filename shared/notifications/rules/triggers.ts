import { absolute } from '#shared/base/addresses.ts';
import { type EnvironmentId, type FlowId, type Id, idAt } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import type { MomentKind } from '#shared/evidence/rules/trail-state.ts';
import type { ActionRecord, Notice, Trigger } from './records.ts';

/** Trigger and event type by kind of moment (`rules/notifications.md#flow-triggers`). Null = no trigger matches. */
const EVENTS: Record<MomentKind, { trigger: Trigger; eventType: string } | null> = {
  trail_reported: { trigger: 'ON_STARTED_TRAIL', eventType: 'TRAIL_STARTED' },
  trail_updated: null,
  artifact_creation_reported: { trigger: 'ON_ATTESTED_PROVENANCE', eventType: 'ARTIFACT_ATTESTED' },
  trail_attestation_reported: { trigger: 'ON_ATTESTATION', eventType: 'ATTESTATION_REPORTED' },
  trail_attestation_for_artifact_reported: { trigger: 'ON_ATTESTATION', eventType: 'ATTESTATION_REPORTED' },
  artifact_attestation_reported: { trigger: 'ON_ATTESTATION', eventType: 'ATTESTATION_REPORTED' },
};

/** Computes the id of a moment's event. The same moment always gives the same id. */
export const momentEventId = ({ at, flow, trail, number }: Pick<MomentFacts, 'at' | 'flow' | 'trail' | 'number'>): Id =>
  idAt(at, `${flow}/${trail}/${number}`);

/**
 * Makes the notice of a moment (`rules/notifications.md#flow-events`); null if no trigger matches its kind.
 * @throws Error if the moment lacks the change that its kind requires
 */
export function momentNotice(moment: MomentFacts, flow: string, org: string): Notice | null {
  const found = EVENTS[moment.kind];
  if (!found) return null;
  const { content, name: trail } = moment;
  const place = { flow, trail, org };
  return {
    event: momentEventId(moment),
    at: moment.at,
    ...found,
    ...place,
    actor: content.by.name,
    state: content.word,
    htmlPath: absolute('', `/${org}/flows/${flow}/trails/${trail}`),
    apiPath: absolute('', `/api/v2/trails/${org}/${flow}/${trail}`),
    ...kindSpecificFields(moment, place),
  };
}

/** The fields of a notice that depend on the kind of its moment (`rules/notifications.md#descriptions`). */
function kindSpecificFields(
  { kind, content }: MomentFacts,
  place: { flow: string; trail: string; org: string },
): Pick<Notice, 'description'> & Partial<Notice> {
  const where = `trail '${place.trail}' of flow '${place.flow}'`;
  const who = `by ${content.by.name}`;
  if (kind === 'trail_reported') {
    return { description: `Trail '${place.trail}' of flow '${place.flow}' was started ${who}` };
  }
  const change = content.changes.find((entry) => entry.kind !== 'repo');
  if (!change) throw new Error(`A moment of kind ${kind} without its change`);
  const show = content.show ?? {};
  if (change.kind === 'artifact') {
    const name = text(show['filename']) ?? change.name;
    return {
      description: `Artifact '${name}' was reported to ${where} ${who}`,
      artifact: {
        name,
        fingerprint: change.fingerprint,
        provenance: { flow: place.flow, commit: change.commit },
      },
    };
  }
  const { id, name, scope, compliant } = change;
  const type = text(show['type']) ?? change.type;
  const target = text(show['target']) ?? (scope.kind === 'fingerprint' ? scope.fingerprint.slice(0, 12) : undefined);
  const about = target === undefined ? '' : ` for artifact '${target}'`;
  const verdict = compliant ? 'compliant' : 'non-compliant';
  return {
    description: `Attestation '${name}' (${type})${about} was reported as ${verdict} to ${where} ${who}`,
    attestation: { id, name, type, compliant },
    htmlPath: `${absolute('', `/${place.org}/flows/${place.flow}/trails/${place.trail}`)}?attestation_id=${id}`,
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Finds the version of an action that decides about an event: the newest that was saved by the event's time
 * (`rules/notifications.md#version-in-force`). Undefined if the action was created later.
 * @param versions versions of one action, in any order
 */
export function versionInForce(versions: readonly ActionRecord[], at: Micros): ActionRecord | undefined {
  let found: ActionRecord | undefined;
  for (const version of versions) {
    if (version.modified <= at && (!found || version.version > found.version)) found = version;
  }
  return found;
}

/** Where an event happened: in one of these flows, or in an environment. No flow is named by actions about every flow only. */
export type EventSubject = { flows: readonly FlowId[] } | { environment: EnvironmentId };

/**
 * Says whether an action is notified of an event (`rules/notifications.md#matching`).
 * @param action the version in force at the event's time
 * @param at time of the event; a version that was saved later never matches
 */
export function matches(
  action: ActionRecord,
  notice: Pick<Notice, 'trigger'>,
  subject: EventSubject,
  at: Micros,
): boolean {
  return mismatch(action, notice.trigger, subject, at) === null;
}

/** The conditions of {@link matches} of an action that was not deleted, in the order in which they are checked. */
export const MISMATCHES = ['later', 'trigger', 'flow', 'environment'] as const;
export type Mismatch = (typeof MISMATCHES)[number];

/**
 * Returns the first condition because of which an action is not notified of an event; null if it is notified
 * (`rules/notifications.md#who-was-told`).
 * @param trigger null for an event that fires nothing
 */
export function mismatch(
  action: ActionRecord,
  trigger: Trigger | null,
  subject: EventSubject,
  at: Micros,
): Mismatch | 'deleted' | null {
  if (action.created > at || action.modified > at) return 'later';
  if (action.deleted) return 'deleted';
  if (trigger === null || !action.triggers.includes(trigger)) return 'trigger';
  if ('environment' in subject) {
    const { environment } = subject;
    return action.kind === 'env' && action.environments.includes(environment) ? null : 'environment';
  }
  if (action.kind !== 'flow') return 'flow';
  return action.flows.length === 0 || action.flows.some((flow) => subject.flows.includes(flow)) ? null : 'flow';
}

/** Makes the notice of a test event, marked as a test (`rules/notifications.md#test-events`). @param event a new id */
export const testNotice = (
  action: Pick<ActionRecord, 'name' | 'triggers' | 'kind'>,
  org: string,
  event: Id,
  at: Micros,
): Notice => ({
  event,
  at,
  org,
  test: true,
  eventType: 'TEST',
  trigger: action.triggers[0] ?? (action.kind === 'flow' ? 'ON_STARTED_TRAIL' : 'ON_STARTED_ARTIFACT'),
  description: `Test of the action '${action.name}': nothing happened`,
});
