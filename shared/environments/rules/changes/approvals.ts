import type { Micros } from '#shared/base/time.ts';
import { fromSeconds } from '#shared/base/time.ts';

/** Who let an artifact through, and how (rules/environments.md#who-allowed-a-change). */
export interface Approval {
  kind: 'pull_request' | 'decision' | 'override' | 'allow_list';
  by: string;
  /** Null if a reviewer's time was not reported. */
  at: Micros | null;
  /** What it says: false for a decision or an override against the artifact. */
  compliant: boolean;
  /** Name and id of the attestation; null for the allow-list. */
  name: string | null;
  attestation: string | null;
  /** Id of the control of a decision. */
  control: string | null;
  /** Address of the pull request. */
  url: string | null;
  reason: string | null;
  /** Name of the signer of a decision; null if nobody signed it. */
  signer: string | null;
}

/** The words of reviews that approve. Other reviews comment, or ask for changes. */
const APPROVES = /^approved?$/i;

/**
 * Reads who approved the pull requests of an attestation (rules/attestations.md#pull-requests).
 * @param reported the pull requests as the client sent them
 */
export function pullRequestApprovals(
  reported: unknown,
  attestation: { id: string; name: string; compliant: boolean },
): Approval[] {
  return listOf(reported).flatMap((request) =>
    listOf(request['approvers']).flatMap((review): Approval[] => {
      const { username, state, timestamp } = review;
      if (typeof username !== 'string' || username === '') return [];
      if (typeof state === 'string' && !APPROVES.test(state)) return [];
      return [
        {
          kind: 'pull_request',
          by: username,
          at: typeof timestamp === 'number' && timestamp >= 0 && timestamp < 1e10 ? fromSeconds(timestamp) : null,
          compliant: attestation.compliant,
          name: attestation.name,
          attestation: attestation.id,
          control: null,
          url: textOf(request['url']),
          reason: null,
          signer: null,
        },
      ];
    }),
  );
}

/** Members of a list as objects. Older clients send names of users only. */
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.flatMap((one) => (typeof one === 'string' ? [{ username: one }] : objectOf(one))) : [];

const objectOf = (value: unknown): Record<string, unknown>[] =>
  typeof value === 'object' && value !== null ? [{ ...value }] : [];

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
