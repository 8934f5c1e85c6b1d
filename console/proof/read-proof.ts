import { queryOptions } from '@tanstack/react-query';
import { type ApiProblem, problemOf } from '../client/api-problem.ts';
import { call } from '../client/call.ts';
import { addressOf } from '../client/operations.ts';
import { environmentReceipt, log } from '../environment/history/operations.ts';
import { trail } from '../trail/operations.ts';
import { type CheckedReceipt, checkReceipt } from './model/check-receipt.ts';
import { momentNumber, type ShownRecord } from './model/shown-record.ts';
import { auditReceipt, evaluationReceipt, isReceipt, newestCheckpoint, trailReceipt } from './operations.ts';

/** What came of a check: the log does not have the record, does not cover it yet, or there is a receipt. */
type Proof =
  | { state: 'none' }
  | { state: 'pending'; message: string }
  | { state: 'insecure' }
  | { state: 'checked'; checked: CheckedReceipt };

/** Milliseconds between two questions for a receipt that is not ready. */
const PENDING_MILLIS = 2000;

/** Reads receipt, keys and newest checkpoint of the service's own log, and computes the check. */
export const readProof = (record: ShownRecord) =>
  queryOptions<Proof, ApiProblem>({
    queryKey: ['proof', record.org, placeOf(record)],
    queryFn: ({ signal }) => prove(record, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state: { data } }) => data?.state === 'pending' && PENDING_MILLIS,
  });

function placeOf(record: ShownRecord): unknown {
  switch (record.kind) {
    case 'attestation':
      return record.attestation.attestation_id;
    case 'artifact':
      return record.artifact.artifact_id;
    case 'trail':
      return [record.trail.flow.name, record.trail.name, momentNumber(record.trail)];
    case 'snapshot':
      return [record.env, record.snapshot.index];
    case 'audit':
      return record.entry.id;
    case 'evaluation':
      return record.evaluation.id;
  }
}

async function prove(record: ShownRecord, signal: AbortSignal): Promise<Proof> {
  // A page that came over plain HTTP has no WebCrypto.
  if (!isSecureContext) return { state: 'insecure' };
  const { org } = record;
  const [receipt, description] = await Promise.all([
    receiptOf(record, signal),
    call(log, { org }, {}, undefined, { signal }),
  ]);
  if (receipt === null) return { state: 'none' };
  if (!isReceipt(receipt)) return { state: 'pending', message: receipt.message };
  // After the receipt: a checkpoint that was read before it could be older than the one in the receipt.
  const newest = await readCheckpoint(org, signal);
  return { state: 'checked', checked: await checkReceipt(receipt, { log: description, newest }, crypto.subtle) };
}

async function receiptOf(record: ShownRecord, signal: AbortSignal) {
  const { org } = record;
  if (record.kind === 'snapshot') {
    const place = { org, env_name: record.env, number: record.snapshot.index };
    return call(environmentReceipt, place, {}, undefined, { signal });
  }
  if (record.kind === 'audit') return call(auditReceipt, { org, entry_id: record.entry.id }, {}, undefined, { signal });
  if (record.kind === 'evaluation') {
    return call(evaluationReceipt, { org, evaluation_id: record.evaluation.id }, {}, undefined, { signal });
  }
  if (record.kind === 'artifact') {
    const { flow_name: flow, trail_name: name, artifact_id: id } = record.artifact;
    const found = await call(trail, { org, flow, trail: name }, {}, undefined, { signal });
    return receiptOfMoment({ org, flow, trail: name }, momentNumber(found, id), signal);
  }
  const id = record.kind === 'attestation' ? record.attestation.attestation_id : undefined;
  const { flow, name } = record.trail;
  return receiptOfMoment({ org, flow: flow.name, trail: name }, momentNumber(record.trail, id), signal);
}

const receiptOfMoment = async (
  place: { org: string; flow: string; trail: string },
  number: number | null,
  signal: AbortSignal,
) => (number === null ? null : call(trailReceipt, { ...place, number }, {}, undefined, { signal }));

/** Checkpoints are texts, so the client for JSON does not read them. */
async function readCheckpoint(org: string, signal: AbortSignal): Promise<string> {
  const address = addressOf(newestCheckpoint.path, { org });
  const response = await fetch(address, { credentials: 'same-origin', cache: 'no-store', signal });
  if (!response.ok) throw await problemOf(response);
  return response.text();
}
