import { expect } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { evaluationsGroup } from '#functions/evaluations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { logGroup } from '#functions/log/endpoints.ts';
import { policiesGroup } from '#functions/policies/endpoints.ts';
import { statementsGroup } from '#functions/statements/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { Envelope } from '#shared/log/rules/dsse.ts';
import { testApi } from '#test/support/api.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { integratorOf } from '#test/support/log/log.ts';
import { relayOf } from '#test/support/relay.ts';

/** An organization with a trail, and the way of its records into its log, for tests of statements. */

export const api = await testApi([
  ...[flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, environmentsGroup, policiesGroup],
  ...[evaluationsGroup, logGroup, statementsGroup],
]);
export const { table, objects, clock, keys, origin } = api.services;

export const HEX = /^[0-9a-f]{64}$/;

interface Predicate {
  verificationResult: string;
  verifiedLevels: string[];
  resourceUri: string;
  policy: { uri: string; digest?: { sha256: string } };
  inputAttestations: { uri: string; digest: { sha256: string } }[];
  [field: string]: unknown;
}
interface Statement {
  subject: { name: string; digest: { sha256: string } }[];
  predicate: Predicate;
}

export const statementIn = (answer: unknown): Statement =>
  JSON.parse(Buffer.from((answer as Envelope).payload, 'base64').toString());

/** The way of an organization's records into its log. */
export function logOf(org: OrganizationId) {
  const relay = relayOf(api.services, org);
  const { work } = integratorOf(table, { objects, clock, origin, logSigner: keys.log });
  /** Hands what changed to the relay, and its messages to the integrator. @returns how many entries were sent */
  const log = async (): Promise<number> => {
    await relay.settle();
    const messages = relay.takeEntries();
    expect(await work(messages)).toBe(0);
    return messages.reduce((sum, { entries }) => sum + entries.length, 0);
  };
  return { relay, work, log };
}

/** A trail `web/run` with the artifact `app`, whose template wants a review. */
export async function withRelease() {
  const acme = await environmentsOfOrganization(api);
  await acme.putFlow('web', 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n');
  await acme.begin({});
  await acme.report(anArtifact('app'), { trail: 'run' });
  const path = `/trails/${acme.org}/web/run/statement`;
  const { relay, work, log } = logOf(acme.id);
  return {
    ...acme,
    path,
    work,
    relay: { ...relay, log: () => undefined },
    /** Reads a statement, after everything that was written came into the log. */
    state: async (query = '', at = path) => {
      await log();
      const answer = await acme.get(at, query);
      return { ...answer, said: statementIn(answer.json) };
    },
    review: () => acme.attest('generic', { attestation_name: 'review', is_compliant: true }),
    bundle: (at = path) => acme.get(at, 'format=sigstore'),
    log,
    forget: async () => {
      await relay.settle();
      return relay.takeEntries();
    },
  };
}
