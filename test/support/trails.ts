import { inject } from 'vitest';
import { localExportFiles, localObjects } from '#infra/local/clients.ts';
import { type AttestationId, type FlowId, newId, type OrganizationId, type PrincipalId } from '#shared/base/ids.ts';
import { type Clock, micros } from '#shared/base/time.ts';
import { momentPartition } from '#shared/evidence/records/keys.ts';
import { type Moment, readMoment } from '#shared/evidence/records/moments.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import { type Commit, commitToTrail, type Draft } from '#shared/evidence/records/trail-commit.ts';
import type { SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { Item, Table } from '#shared/table/table.ts';
import { holdExportFiles } from './declared-uses.ts';
import { testName } from './ids.ts';
import { onlyLocal } from './table.ts';

export const AUTHOR = { id: newId<PrincipalId>(micros(1_700_000_000_000_000)), name: 'ada' };

export const testExportFiles = () => holdExportFiles(localExportFiles(onlyLocal(inject('s3'))));
export const testObjects = () => localObjects(onlyLocal(inject('s3')));

/** What a writer of trails works with; every call stands for a caller of its own. */
export function trailWriter(table: Table, org: OrganizationId, clock: Clock, objects = testObjects()): Commit {
  return {
    table,
    objects,
    clock,
    org,
    author: AUTHOR,
    loadTemplate: (digest) => loadTemplate(table, objects, org, digest),
  };
}

/** Attests on the trail itself: one moment, and the beginning before it where the trail is new. */
export const attest = (
  commit: Commit,
  { flow, trail }: { flow: string; trail: string },
  attestation: { name: string; compliant?: boolean; type?: string; id?: AttestationId },
  more: Partial<Draft> = {},
): Promise<'done'> =>
  commitToTrail<never>(commit, { flow: testName(flow), trail: testName(trail) }, async () => ({
    drafts: [{ kind: 'trail_attestation_reported', changes: [attestationChange(attestation)], ...more }],
  }));

export const attestationChange = ({
  name,
  compliant = true,
  type = 'generic',
  id = newId(micros(1_700_000_000_000_000)),
}: {
  name: string;
  compliant?: boolean;
  type?: string;
  id?: AttestationId;
}): SlotChange => ({ kind: 'attestation', scope: { kind: 'trail' }, name, type, id, compliant, overridden: null });

export const momentItems = (table: Table, org: OrganizationId, flow: FlowId, trail: string): Promise<Item[]> =>
  table.query({ pk: momentPartition(org, flow, testName(trail)) });

export const allMoments = async (table: Table, org: OrganizationId, flow: FlowId, trail: string): Promise<Moment[]> =>
  (await momentItems(table, org, flow, trail)).map(readMoment);
