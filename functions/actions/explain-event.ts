import * as z from 'zod';
import { TargetPlace, targetPlace } from '#functions/forms/target-place.ts';
import { isId } from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { toSeconds } from '#shared/base/time.ts';
import { type FieldErrors, invalidField, noErrors, refuseIfAny } from '#shared/base/validation.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { pageUrl } from '#shared/console/pages.ts';
import {
  type EventPlace,
  type Explanation,
  explainEvent as explain,
  type NamedEvent,
} from '#shared/environments/actions/explain-event.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { explainGap } from '#shared/expectations/gaps/explain-gap.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import type { Request } from '#shared/http/request.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { MISMATCHES } from '#shared/notifications/rules/triggers.ts';
import { explainMatch } from '#shared/watches/explain-match.ts';
import { DeliverySummary, deliverySummary, unreadableSummary } from './delivery-output.ts';

const ALLOWED = 'ON_ALLOWED_ARTIFACT';
/** Triggers that snapshots fire, that of an entry of the allow-list, those of gaps, and that of watches. */
const TRIGGERS = [
  'ON_STARTED_ARTIFACT',
  'ON_EXITED_ARTIFACT',
  'ON_NON_COMPLIANT_ENV',
  'ON_COMPLIANT_ENV',
  ALLOWED,
  'ON_EXPECTATION_MISSED',
  'ON_EXPECTATION_MET_AGAIN',
  'ON_EXPOSURE',
] as const;

/** The six ways to name an event (`rules/notifications.md#who-was-told`). */
const EventQuery = z.object({
  attestation_id: z.string().optional().meta({ description: 'The event of this attestation' }),
  flow: AnyFlowName.optional().meta({ description: 'With `trail` and `moment`: name of the flow' }),
  trail: AnyTrailName.optional().meta({ description: 'Name of the trail' }),
  moment: integerField({ min: 1 }).optional().meta({ description: 'Number of the moment' }),
  environment: AnyEnvironmentName.optional().meta({
    description: 'With `snapshot` and `trigger`, or with `trigger` and `fingerprint`: name of the environment',
  }),
  snapshot: integerField({ min: 1 }).optional().meta({
    description: 'Number of the snapshot; not for `ON_ALLOWED_ARTIFACT`',
  }),
  trigger: z.enum(TRIGGERS).optional().meta({
    description:
      'What the snapshot or the gap fired, or `ON_ALLOWED_ARTIFACT` for the entry that put `fingerprint` on the allow-list',
  }),
  gap: z.string().optional().meta({ description: 'With `trigger`: id of the gap' }),
  watch: z.string().optional().meta({
    description:
      'With `trigger` `ON_EXPOSURE`: name of the watch. Its first match, or that in `environment` if it is given',
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
const GAP_FORM = ['gap', 'trigger'] as const;
const WATCH_FORM = ['watch', 'trigger'] as const;
const HINT =
  'attestation_id; flow, trail and moment; environment, snapshot and trigger; environment, trigger ON_ALLOWED_ARTIFACT and fingerprint; gap and trigger; or watch and trigger ON_EXPOSURE';

/** Refuses a query that does not name one event. @throws ServiceError 400 with a text for each missing parameter */
function requireOneEvent(query: Partial<EventQuery>, refused: ReadonlySet<string>): void {
  const isGiven = (name: keyof EventQuery) => query[name] !== undefined || refused.has(name);
  if (isGiven('gap')) {
    const strangers = [...FORMS.flat(), ...OF_SNAPSHOTS, ...ALLOWED_FORM].filter((name) => name !== 'trigger');
    requireForm(GAP_FORM, strangers, isGiven);
    return;
  }
  if (isGiven('watch')) {
    const strangers = [...FORMS.flat(), ...OF_SNAPSHOTS, ...ALLOWED_FORM];
    const isOfWatch = (name: string) => name === 'trigger' || name === 'environment';
    requireForm(
      WATCH_FORM,
      strangers.filter((name) => !isOfWatch(name)),
      isGiven,
    );
    return;
  }
  const begun = FORMS.filter((form) => form.some(isGiven));
  const [first] = begun;
  if (!first) throw invalidField('query.attestation_id', `Name an event: ${HINT}`, undefined);
  const isAllowed = first === FORMS[2] && query.trigger === ALLOWED;
  const form = isAllowed ? ALLOWED_FORM : first;
  const others = [...begun.slice(1).flat(), ...(isAllowed ? OF_SNAPSHOTS : [])];
  requireForm(form, others, isGiven);
}

/** Refuses a query that lacks a parameter of a form, or has one of another form. */
function requireForm(
  form: readonly (keyof EventQuery)[],
  others: readonly (keyof EventQuery)[],
  isGiven: (name: keyof EventQuery) => boolean,
): void {
  const errors: FieldErrors = noErrors();
  for (const name of form) if (!isGiven(name)) errors[`query.${name}`] = 'Field required';
  for (const name of others.filter(isGiven)) errors[`query.${name}`] = `Name one event: ${HINT}`;
  refuseIfAny(errors);
}

/** Returns the event that a query names. @throws ServiceError 404 if it names none */
function namedEvent(query: EventQuery): NamedEvent {
  const { attestation_id: attestation, flow, trail, moment } = query;
  const { environment, snapshot, trigger, fingerprint, artifact_name: artifact } = query;
  if (attestation !== undefined) return { by: 'attestation', attestation };
  if (flow !== undefined && trail !== undefined && moment !== undefined) return { by: 'moment', flow, trail, moment };
  if (environment === undefined || trigger === undefined) throw eventNotFound();
  if (trigger === ALLOWED) return { by: 'allowance', environment, fingerprint };
  if (snapshot === undefined) throw eventNotFound();
  return { by: 'snapshot', environment, snapshot, trigger, fingerprint, artifact };
}

/** Finds the event that a query names, and explains for each action whether it was notified. @throws ServiceError 404 */
async function explanationOf(
  stores: Pick<Stores, 'table' | 'objects'>,
  request: Pick<Request, 'org' | 'host'>,
  query: EventQuery,
) {
  const { gap, trigger, watch } = query;
  if (watch !== undefined) return explanationOfMatch(stores, request, { ...query, watch });
  if (gap === undefined || trigger === undefined) {
    const { event, actions } = await explain(stores, request.org, namedEvent(query));
    return { event: { ...event, place: placeOut(event.place, request) }, actions };
  }
  if (!isId(gap)) throw eventNotFound();
  const { notice, actions } = await explainGap(stores, request.org, { gap, trigger });
  const { event: id, eventType: type, at, flow, trail, environment } = notice;
  const names = {
    ...(flow !== undefined && { flow }),
    ...(trail !== undefined && { trail }),
    ...(environment !== undefined && { environment }),
  };
  const place = { ...names, html_url: pageUrl(request, '/{org}/gaps/{gap}', { gap }) };
  return { event: { id, type, at, notice, place }, actions };
}

async function explanationOfMatch(
  stores: Pick<Stores, 'table'>,
  request: Pick<Request, 'org' | 'host'>,
  { watch, trigger, environment }: EventQuery & { watch: string },
) {
  if (trigger !== 'ON_EXPOSURE') throw eventNotFound();
  const { notice, actions } = await explainMatch(stores, request.org, { watch, environment });
  const { event: id, eventType: type, at, flow, trail, environment: place, htmlPath = '' } = notice;
  const names = place === undefined ? { flow, trail } : { environment: place };
  return { event: { id, type, at, notice, place: { ...names, html_url: request.host + htmlPath } }, actions };
}

/** Describes where an event happened: present names, and the address of the page that shows it. */
function placeOut(place: EventPlace, at: Pick<Request, 'org' | 'host'>) {
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

const Explained = z
  .object({
    number: z.int().describe('Number in the organization; actions and notifications are numbered together'),
    name: z.string().meta({ description: 'Name of the action when the event happened' }),
    type: z.enum(['flow', 'env']).meta({ description: '`flow`, or `env` for an environment notification' }),
    matches: z.boolean().meta({ description: 'Whether the action was notified of the event' }),
    mismatch: z.enum(MISMATCHES).nullable().meta({
      description:
        'The first condition that was not met: the action was created `later`, or does not have the `trigger`, the `flow` or the `environment`; null if all were met',
    }),
    targets: z
      .array(
        TargetPlace.extend({
          disabled_since: z.number().nullable().meta({
            description:
              'Since when nothing is sent, because the target answered 410; null if the target is not disabled',
          }),
          delivery: DeliverySummary.nullable().meta({ description: 'Null if the delivery was not created yet' }),
        }),
      )
      .meta({ description: 'The targets that the action had; empty if the action was not notified' }),
  })
  .meta({ id: 'ExplainedAction' });

/** GET /deliveries/{org}/explain: which actions an event notified, and why not (`rules/notifications.md#who-was-told`). */
export const explainEvent = endpoint({
  operation: 'explainEvent',
  method: 'GET',
  path: '/deliveries/{org}/explain',
  summary: 'Explain which actions were notified of one event, and why the others were not',
  description:
    'Name one event: `attestation_id`; `flow`, `trail` and `moment`; `environment`, `snapshot` and `trigger`, with `fingerprint` and `artifact_name` if several artifacts started or exited; `environment`, `trigger` `ON_ALLOWED_ARTIFACT` and `fingerprint`; `gap` and `trigger`; or `watch` and `trigger` `ON_EXPOSURE`, with `environment` for the match there.',
  access: 'reader',
  query: EventQuery,
  success: {
    200: z
      .object({
        event: z
          .object({
            id: z.string().describe('Id of the event'),
            type: z.string().describe('What happened'),
            timestamp: z.number().describe('When it happened, in seconds since the epoch'),
            description: z.string().describe('What happened, in a sentence'),
            flow: z.string().optional().meta({ description: 'Present name, for an event of a trail or of a flow' }),
            trail: z.string().optional().describe('Name of the trail'),
            environment: z.string().optional().meta({ description: 'Present name, for an event of an environment' }),
            html_url: z.string().meta({ description: 'Page that shows what happened' }),
            trigger: z.string().nullable().meta({ description: 'Null if events of this type fire nothing' }),
          })
          .describe('The event'),
        actions: z.array(Explained).meta({ description: 'Actions that were not deleted before the event, by number' }),
      })
      .meta({ id: 'EventExplanation' }),
  },
  errors: [eventNotFound, unknownEnvironment, archivedEnvironment],
  uses: READ_BODIES,
  checks: [({ query, refused }) => requireOneEvent(query, refused)],
  handler: async (request, stores: Pick<Stores, 'table' | 'objects'>) => {
    const { event, actions } = await explanationOf(stores, request, request.query);
    const { id, type, at, notice, place } = event;
    return {
      status: 200,
      body: {
        event: {
          id,
          type,
          timestamp: toSeconds(at),
          description: notice?.description ?? '',
          ...place,
          trigger: notice?.trigger ?? null,
        },
        actions: actions.map((one) => explained(one, request)),
      },
    };
  },
});

function explained(
  { action, mismatch, targets }: Explanation,
  request: Pick<Request, 'requestId' | 'path' | 'role'>,
): z.input<typeof Explained> {
  const { number, name, kind } = action;
  const delivered = (found: Explanation['targets'][number]['delivery']) => {
    if (found === null) return null;
    if (!('unreadable' in found)) return deliverySummary(found, name, request.role);
    logUnreadable('actions', request, `delivery ${found.id}`, found.unreadable);
    return unreadableSummary(found);
  };
  return {
    number,
    name,
    type: kind,
    matches: mismatch === null,
    mismatch,
    targets: targets.map(({ target, health, delivery }) => ({
      ...targetPlace(target),
      disabled_since: health?.disabled ? toSeconds(health.lastFailure) : null,
      delivery: delivered(delivery),
    })),
  };
}
