import * as z from 'zod';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { readWithEnvironment } from '#shared/environments/records/environments.ts';
import { snapshotContentKey, snapshotKey } from '#shared/environments/records/keys.ts';
import { storedSnapshot } from '#shared/environments/records/snapshots.ts';
import { unknownEnvironment } from '#shared/environments/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { recordGone } from '#shared/http/sentences.ts';
import { snapshotOpenings } from '#shared/log/openings.ts';
import { receiptOf } from '#shared/log/receipt.ts';
import { claimKey, claimOf } from '#shared/log/records/claims.ts';
import { receiptCheckpointKeys } from '#shared/log/records/log-state.ts';
import { noSnapshot } from '#shared/log/rules/sentences.ts';
import { keyText } from '#shared/table/table.ts';
import { ABOUT_RECEIPTS, RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/environments/{env_name}/{number}: the receipt of a snapshot (rules/log.md#receipts). */
export const getEnvironmentReceipt = endpoint({
  ...RECEIPT,
  operation: 'getEnvironmentReceipt',
  method: 'GET',
  path: '/receipts/{org}/environments/{env_name}/{number}',
  summary: 'Get the proof that a snapshot of an environment is in the log',
  description: ABOUT_RECEIPTS,
  access: 'reader',
  params: z.object({
    org: z.string(),
    env_name: z.string(),
    number: integerField({ min: 1 }).meta({ description: 'Number of the snapshot, from 1 on' }),
  }),
  query: z.object({}),
  body: { kind: 'none' },
  errors: [unknownEnvironment, noSnapshot, ...RECEIPT_FAULTS],
  handler: async ({ params, org: { id: org, name }, format }, services) => {
    const { table } = services;
    const { env_name: env, number } = params;
    const read = await readWithEnvironment(table, org, env, (environment) => {
      const content = format === 'json' ? [snapshotContentKey(org, environment, number)] : [];
      const claim = claimKey(org, { kind: 'environment', environment, number });
      return table.getMany([snapshotKey(org, environment, number), claim, ...content, ...receiptCheckpointKeys(org)]);
    });
    if (!read) throw unknownEnvironment({ env, org: name });
    const { head, beside: found } = read;
    const item = found.get(keyText(snapshotKey(org, head.id, number)));
    const claim = claimOf(found.get(keyText(claimKey(org, { kind: 'environment', environment: head.id, number }))));
    if (!item) throw claim ? recordGone({ index: claim.index }) : noSnapshot({ env, org: name, number });
    const snapshot = storedSnapshot(item);
    const receipt = receiptOf(services, org, snapshotEntry(org, head.id, snapshot), claim, found);
    const content = found.get(keyText(snapshotContentKey(org, head.id, number)));
    return receiptAnswer(format, receipt, () => snapshotOpenings(services, org, head.id, snapshot, content));
  },
});
