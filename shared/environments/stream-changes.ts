import * as z from 'zod';
import { EnvironmentId, type FlowId, type OrganizationId, type PolicyId, storedId } from '#shared/base/ids.ts';
import { readControlPartition } from '#shared/controls/records/keys.ts';
import { readPolicyItemKey, readPolicyPartition } from '#shared/policies/records/keys.ts';
import { readRecallVersionKey } from '#shared/signers/records/keys.ts';
import type { StreamItem } from '#shared/table/stream-item.ts';
import { AllowedItem } from './records/environment-records.ts';
import { readSubjectPartition } from './records/keys.ts';

export type EnvironmentChange = { org: OrganizationId } & (
  | { kind: 'snapshot'; environment: EnvironmentId }
  /** Members or policies of a logical environment may have changed. `rev` counts its changes of settings. */
  | { kind: 'group'; environment: EnvironmentId; rev: number }
  /** A fingerprint was allowed. */
  | { kind: 'allowed'; entry: AllowedItem }
  /** Head or tags of a flow changed: the flow may have been renamed, archived or tagged. */
  | { kind: 'flow'; flow: FlowId }
  /** A policy has a new version. */
  | { kind: 'policy'; policy: PolicyId }
  /** A recall has a new version. */
  | { kind: 'recall'; name: string; version: number }
  /** A control has a new version, which may ask for more or less of decisions. */
  | { kind: 'control'; control: string }
);

const Head = z.object({ id: EnvironmentId, kind: z.string(), rev: z.number() });

/**
 * Reads a change that the stream brought; null for items that do not concern environments.
 * @throws ZodError for an item that does not fit its schema
 */
export function readEnvironmentChange(streamed: StreamItem): EnvironmentChange | null {
  const { pk, sk } = streamed;
  const policies = readPolicyPartition(pk);
  if (policies) {
    const { policy, kind } = readPolicyItemKey(sk);
    return kind === 'V' ? { kind: 'policy', org: policies, policy } : null;
  }
  const recall = readRecallVersionKey(streamed);
  if (recall) return { kind: 'recall', ...recall };
  const controlled = readControlPartition(pk);
  if (controlled) return sk === 'HEAD' ? { kind: 'control', ...controlled } : null;
  const found = readSubjectPartition(pk);
  if (!found) return null;
  const { org, family, subject } = found;
  if (family === 'SNAPSHOT' && sk.startsWith('S#')) return { kind: 'snapshot', org, environment: storedId(subject) };
  if (family === 'FLOW' && (sk === 'HEAD' || sk === 'TAGS')) return { kind: 'flow', org, flow: storedId(subject) };
  if (family === 'ENV' && sk === 'HEAD') {
    const { id: environment, kind, rev } = Head.parse(streamed.item);
    return kind === 'logical' ? { kind: 'group', org, environment, rev } : null;
  }
  if (family === 'ALLOWED' && sk.includes('#')) {
    const entry = AllowedItem.parse(streamed.item);
    // If the artifact was allowed before, only the reason changed, which has no effects.
    return entry.added ? { kind: 'allowed', org, entry } : null;
  }
  return null;
}
