import { type EnvironmentId, type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { Clock } from '#shared/base/time.ts';
import { createAction } from '#shared/notifications/records/action-writes.ts';
import { ENVIRONMENT_TRIGGERS, type Target, type Trigger } from '#shared/notifications/rules/records.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { Table } from '#shared/table/table.ts';
import { uniqueName } from '../directory.ts';

/** An organization as the directory has it, without members. */
export async function bareOrganization(table: Table, clock: Clock): Promise<{ org: OrganizationId; name: string }> {
  const name = uniqueName('notified');
  const now = clock.now();
  const org = newId<OrganizationId>(now);
  await new Directory(table).createOrganization({ id: org, name, kind: 'shared', features: [], createdAt: now });
  return { org, name };
}

export const webhookTarget = (webhook: string): Target => ({
  key: `webhook-${webhook.replaceAll(/\W+/g, '-')}`,
  type: 'WEBHOOK',
  webhook,
  payloadVersion: '1.0',
});

export const EVERY_TRIGGER: Trigger[] = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'];

/** Saves a new notification about environments, given by id. */
export async function newNotification(
  { table, clock }: { table: Table; clock: Clock },
  org: OrganizationId,
  environments: EnvironmentId[],
  triggers: Trigger[] = [...ENVIRONMENT_TRIGGERS],
  targets: Target[] = [webhookTarget('https://one.example/hook')],
): Promise<void> {
  const given = { name: uniqueName('notification'), triggers, flows: [], environments, targets };
  const outcome = await createAction(table, org, 'env', given, mintSecret(), { at: clock.now(), by: 'ada' }, () => []);
  if (outcome !== 'done') throw new Error(`The notification was not saved: ${outcome}`);
}

/** Saves a new action. @returns its signing secret */
export async function newAction(
  { table, clock }: { table: Table; clock: Clock },
  org: OrganizationId,
  targets: Target[],
  { triggers = EVERY_TRIGGER, flows = [] as FlowId[], name = uniqueName('action') } = {},
): Promise<string> {
  const secret = mintSecret();
  const given = { name, triggers, flows, environments: [], targets };
  const outcome = await createAction(table, org, 'flow', given, secret, { at: clock.now(), by: 'ada' }, () => []);
  if (outcome !== 'done') throw new Error(`The action was not saved: ${outcome}`);
  return secret;
}
