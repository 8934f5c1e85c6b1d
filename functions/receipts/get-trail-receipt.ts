import * as z from 'zod';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { isPlausibleName } from '#shared/evidence/records/flows.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { findTrailId, momentEntry, momentOf, storedMoment } from '#shared/evidence/records/moments.ts';
import { readItemsBesideFlow } from '#shared/evidence/records/trails.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { integerField } from '#shared/http/query-fields.ts';
import { momentOpenings } from '#shared/log/openings.ts';
import { receiptOf } from '#shared/log/receipt.ts';
import { readClaims } from '#shared/log/records/claims.ts';
import { receiptCheckpointKeys } from '#shared/log/records/log-state.ts';
import { noMoment } from '#shared/log/rules/sentences.ts';
import { keyText } from '#shared/table/table.ts';
import { ABOUT_RECEIPTS, RECEIPT, RECEIPT_FAULTS, receiptAnswer } from './receipt-output.ts';

/** GET /receipts/{org}/trails/{flow}/{trail}/{number}: the receipt of a moment (rules/log.md#receipts). */
export const getTrailReceipt = endpoint({
  ...RECEIPT,
  operation: 'getTrailReceipt',
  method: 'GET',
  path: '/receipts/{org}/trails/{flow}/{trail}/{number}',
  summary: 'Get the proof that a moment of a trail is in the log',
  description: ABOUT_RECEIPTS,
  access: 'reader',
  params: z.object({
    org: z.string(),
    flow: z.string(),
    trail: z.string(),
    number: integerField({ min: 1 }).meta({ description: 'Number of the moment, from 1 on' }),
  }),
  query: z.object({}),
  body: { kind: 'none' },
  errors: [noMoment, ...RECEIPT_FAULTS],
  handler: async ({ params, org: { id: org, name }, format }, services) => {
    const { table } = services;
    const { flow: flowName, trail, number } = params;
    const { flow, beside: found } = await readItemsBesideFlow(table, org, flowName, (id) =>
      isPlausibleName(trail) ? [momentKey(org, id, trail, number), ...receiptCheckpointKeys(org)] : [],
    );
    const item = flow && found.get(keyText(momentKey(org, flow.id, trail, number)));
    if (!item) {
      const unlogged = noMoment({ ...params, org: name });
      if (!flow || !isPlausibleName(trail)) throw unlogged;
      const id = await findTrailId(table, org, flow.id, trail);
      throw id ? new RecordGone(momentOf({ flow: flow.id, trail: id }, number), { unlogged }) : unlogged;
    }
    // The receipt compares the entry with the log, which names the entry in its error.
    const moment = storedMoment(item);
    const subject = { kind: 'trail' as const, flow: flow.id, trail: moment.trail, number };
    const receipt = readClaims(table, org, [subject]).then(([claim = null]) =>
      receiptOf(services, org, momentEntry(org, moment), claim, found),
    );
    return receiptAnswer(format, receipt, () => momentOpenings(services, org, moment));
  },
});
