import * as z from 'zod';
import { type OrganizationId, TrailId } from '#shared/base/ids.ts';
import { StoredMicros } from '#shared/base/time.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { readMomentPartition } from '../records/keys.ts';
import { contentOf } from '../records/moments.ts';
import type { MomentFacts } from '../rules/moment-facts.ts';
import { MOMENT_KINDS } from '../rules/trail-state.ts';

const MomentEvent = z.object({
  sk: z.string(),
  at: StoredMicros,
  kind: z.enum(MOMENT_KINDS),
  trail: TrailId,
  body: z.string(),
  details: z.string(),
});

/**
 * Reads the event of a moment that the stream brought; null for other items.
 * @throws ZodError if the item does not fit its schema; SyntaxError if its texts are no JSON
 */
export function readMomentEvent(streamed: StreamItem): { org: OrganizationId; moment: MomentFacts } | null {
  const place = readMomentPartition(streamed.pk);
  if (!place) return null;
  const { sk, at, kind, trail, body, details } = MomentEvent.parse(streamed.item);
  const { org, flow, trail: name } = place;
  const content = contentOf({ body, details });
  return { org, moment: { kind, at, number: Number(sk), flow, trail, name, content } };
}
