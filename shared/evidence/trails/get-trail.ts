import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { countedTrail, recalledSince, recallsFor } from '../counted-trails.ts';
import { type RuntimeEvent, readRuntimeEvents } from '../records/runtime-events.ts';
import { loadTemplateAndText } from '../records/templates.ts';
import { asOfMoment, readTrail, type TrailRecord } from '../records/trail-records.ts';
import { unknownMoment, unknownTrail } from '../rules/sentences.ts';
import type { Template } from '../rules/template.ts';

interface TrailAsRead {
  /** By what counts, without recalled evidence. A past state is as it was. */
  trail: TrailRecord;
  /** The template of the trail's last moment. */
  template: Template;
  /** Text of this template; empty for the empty template. */
  text: string;
  /** The newest starts and stops of its artifacts, ascending. None for a past state. */
  runtime: RuntimeEvent[];
}

/**
 * Reads a trail with its moments and its template (rules/trails.md#get-a-trail).
 *
 * @param number of the moment after which the trail is shown; the present trail if undefined
 * @throws ServiceError `not-found` if there is no such trail, or no such moment of it
 */
export async function getTrail(
  { table, objects }: Pick<Stores, 'table' | 'objects'>,
  org: Organization,
  target: { flow: FlowName; trail: TrailName },
  number: number | undefined,
): Promise<TrailAsRead> {
  const { trail: present, beside: runtime = [] } = await readTrail(table, objects, org.id, target, async (flow) =>
    number === undefined ? readRuntimeEvents(table, org.id, { flow, trail: target.trail }) : [],
  );
  const names = { ...target, org: org.name };
  if (!present) throw unknownTrail(names);
  if (number !== undefined && number > present.head.number) throw unknownMoment({ ...names, number });
  const then = number === undefined ? present : asOfMoment(present, number);
  const [recalls, template] = await Promise.all([
    recallsFor(table, org.id, then),
    loadTemplateAndText(table, objects, org.id, then.state.template),
  ]);
  const trail = number === undefined ? countedTrail(then, recalls) : recalledSince(then, recalls);
  return { trail, ...template, runtime };
}
