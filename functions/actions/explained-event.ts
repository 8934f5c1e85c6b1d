import * as z from 'zod';
import { AnyFlowName } from '#shared/base/names.ts';
import { type FieldErrors, invalidField, noErrors, refuseIfAny } from '#shared/base/validation.ts';
import { pageUrl } from '#shared/console/pages.ts';
import type { EventPlace, NamedEvent } from '#shared/environments/actions/explain-event.ts';
import type { Request } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';

const ALLOWED = 'ON_ALLOWED_ARTIFACT';
/** Triggers of environments: those that snapshots fire, and that of an entry of the allow-list. */
const TRIGGERS = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  ALLOWED,
] as const;

/** The four ways to name an event (`rules/notifications.md#who-was-told`). */
export const EventQuery = z.object({
  attestation_id: z.string().optional().meta({ description: 'The event of this attestation' }),
  flow: AnyFlowName.optional().meta({ description: 'With `trail` and `moment`: name of the flow' }),
  trail: z.string().optional().meta({ description: 'Name of the trail' }),
  moment: integerField({ min: 1 }).optional().meta({ description: 'Number of the moment' }),
  environment: z.string().optional().meta({
    description: 'With `snapshot` and `trigger`, or with `trigger` and `fingerprint`: name of the environment',
  }),
  snapshot: integerField({ min: 1 }).optional().meta({
    description: 'Number of the snapshot; not for `ON_ALLOWED_ARTIFACT`',
  }),
  trigger: z.enum(TRIGGERS).optional().meta({
    description:
      'What the snapshot fired, or `ON_ALLOWED_ARTIFACT` for the entry that put `fingerprint` on the allow-list',
  }),
  fingerprint: z.string().optional().meta({
    description: 'SHA-256 of the artifact that started, exited or was allowed',
  }),
  artifact_name: z.string().optional().meta({ description: 'Name of the artifact that started or exited' }),
});
type EventQuery = z.output<typeof EventQuery>;

const FORMS = [['attestation_id'], ['flow', 'trail', 'moment'], ['environment', 'snapshot', 'trigger']] as const;
/** The form of an entry of an allow-list, and the parameters that belong to snapshots. */
const ALLOWED_FORM = ['environment', 'trigger', 'fingerprint'] as const;
const OF_SNAPSHOTS = ['snapshot', 'artifact_name'] as const;
const HINT =
  'attestation_id; flow, trail and moment; environment, snapshot and trigger; or environment, trigger ON_ALLOWED_ARTIFACT and fingerprint';

/** Refuses a query that does not name one event. @throws ServiceError 400 with a text for each missing parameter */
export function requireOneEvent(query: Partial<EventQuery>, refused: ReadonlySet<string>): void {
  const isGiven = (name: keyof EventQuery) => query[name] !== undefined || refused.has(name);
  const begun = FORMS.filter((form) => form.some(isGiven));
  const [first] = begun;
  if (!first) throw invalidField('query.attestation_id', `Name an event: ${HINT}`, undefined);
  const isAllowed = first === FORMS[2] && query.trigger === ALLOWED;
  const form = isAllowed ? ALLOWED_FORM : first;
  const others = [...begun.slice(1).flat(), ...(isAllowed ? OF_SNAPSHOTS : [])];
  const errors: FieldErrors = noErrors();
  for (const name of form) if (!isGiven(name)) errors[`query.${name}`] = 'Field required';
  for (const name of others.filter(isGiven)) errors[`query.${name}`] = `Name one event: ${HINT}`;
  refuseIfAny(errors);
}

/** Returns the event that a query names. @throws ServiceError 404 if it names none */
export function namedEvent(query: EventQuery): NamedEvent {
  const { attestation_id: attestation, flow, trail, moment } = query;
  const { environment, snapshot, trigger, fingerprint, artifact_name: artifact } = query;
  if (attestation !== undefined) return { by: 'attestation', attestation };
  if (flow !== undefined && trail !== undefined && moment !== undefined) return { by: 'moment', flow, trail, moment };
  if (environment === undefined || trigger === undefined) throw eventNotFound();
  if (trigger === ALLOWED) return { by: 'allowance', environment, fingerprint };
  if (snapshot === undefined) throw eventNotFound();
  return { by: 'snapshot', environment, snapshot, trigger, fingerprint, artifact };
}

/** Describes where an event happened: present names, and the address of the page that shows it. */
export function placeOut(place: EventPlace, at: Pick<Request, 'org' | 'host'>) {
  if ('flow' in place) {
    const { attestation, ...names } = place;
    const page = pageUrl(at, '/{org}/flows/{flow}/trails/{trail}', names);
    return { ...names, html_url: attestation === undefined ? page : `${page}?attestation_id=${attestation}` };
  }
  const { environment, snapshot } = place;
  const page =
    snapshot === null
      ? pageUrl(at, '/{org}/environments/{env}/allowed', { env: environment })
      : pageUrl(at, '/{org}/environments/{env}/snapshots/{expression}', {
          env: environment,
          expression: String(snapshot),
        });
  return { environment, html_url: page };
}
