import * as z from 'zod';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { FlowHead } from '#shared/evidence/records/flows.ts';
import { flowHeadKey } from '#shared/evidence/records/keys.ts';
import { organizationListKey } from '#shared/organizations/records/keys.ts';
import { keyText, type Table } from '#shared/table/table.ts';

const Listed = z.object({ name: z.string() });

/** Current names, for the notices of events. */
interface EventNames {
  org: string;
  /** Returns the name of a flow. @throws Error if the flow does not exist */
  flow(id: FlowId): string;
}

/**
 * Reads the names of an organization and some of its flows, in one batch read.
 * @throws Error if the organization does not exist
 */
export async function readEventNames(table: Table, org: OrganizationId, flows: Iterable<FlowId>): Promise<EventNames> {
  const ids = [...new Set(flows)];
  const own = organizationListKey(org);
  const found = await table.getMany([own, ...ids.map((id) => flowHeadKey(org, id))]);
  const listed = found.get(keyText(own));
  if (!listed) throw new Error(`There is no organization ${org}`);
  return {
    org: Listed.parse(listed).name,
    flow(id) {
      const head = found.get(keyText(flowHeadKey(org, id)));
      if (!head) throw new Error(`There is no flow ${id} in the organization ${org}`);
      return FlowHead.parse(head).name;
    },
  };
}
