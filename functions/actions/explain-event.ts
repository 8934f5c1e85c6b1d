import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { type Explanation, explainEvent as explain } from '#shared/environments/actions/explain-event.ts';
import { archivedEnvironment, unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint, type Request } from '#shared/http/endpoint.ts';
import { logUnreadable } from '#shared/http/unreadable.ts';
import { eventNotFound } from '#shared/notifications/rules/sentences.ts';
import { MISMATCHES } from '#shared/notifications/rules/triggers.ts';
import { DeliverySummary, deliverySummary, TargetPlace, targetPlace, unreadableSummary } from './delivery-output.ts';
import { EventQuery, namedEvent, placeOut, requireOneEvent } from './explained-event.ts';

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
    'Name one event: `attestation_id`; `flow`, `trail` and `moment`; `environment`, `snapshot` and `trigger`, with `fingerprint` and `artifact_name` if several artifacts started or exited; or `environment`, `trigger` `ON_ALLOWED_ARTIFACT` and `fingerprint`.',
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
            flow: z.string().optional().meta({ description: 'Present name, for an event of a trail' }),
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
    const { event, actions } = await explain(stores, request.org, namedEvent(request.query));
    const { id, type, at, notice, place } = event;
    return {
      status: 200,
      body: {
        event: {
          id,
          type,
          timestamp: toSeconds(at),
          description: notice?.description ?? '',
          ...placeOut(place, request),
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
