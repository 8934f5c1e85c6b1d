import { receiptsGroup } from '#functions/receipts/endpoints.ts';
import type { FlowId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { parseProofFile, verifyProofFile } from '#shared/tlog/proof-file.ts';
import { leafHash } from '#shared/tlog/tree.ts';
import { type TestApi, testApi } from '../api.ts';
import { environmentGroups, environmentsOfOrganization, onServer } from '../environments.ts';
import { aCommit, anArtifact } from '../evidence.ts';
import type { TestAnswer } from '../gateway.ts';
import { integrateStored, integratorOf, type TestIntegrator } from './log.ts';

/** A receipt as JSON. */
export interface ReceiptJson {
  proof: string;
  index: number;
  size: number;
  hash: string;
  header: { subject: { flow: FlowId }; number: number; commitments: Record<string, string> };
  openings: { name: string; salt: string | null; text: string | null }[];
}

/** Evidence, environments and receipts, with the integrator of the same table. */
export async function receiptsApi(): Promise<{ api: TestApi; integrator: TestIntegrator }> {
  const api = await testApi([...environmentGroups, receiptsGroup]);
  const { table, clock, objects, keys, origin } = api.services;
  return { api, integrator: integratorOf(table, { objects, clock, origin, logSigner: keys.log }) };
}

/** An organization with a trail of four moments and an environment of two snapshots, all of them in the log. */
export async function loggedOrganization(api: TestApi, integrator: TestIntegrator) {
  const { keys, origin } = api.services;
  const { publicKey } = await keys.log();
  const acme = await environmentsOfOrganization(api);
  const writes = {
    trail: await acme.begin({ description: 'd', user_data: { ticket: 7 } }),
    artifact: await acme.report(anArtifact('cli')),
    attestation: await acme.attest('generic', { attestation_name: 'lint', git_commit_info: aCommit() }),
    update: await acme.begin({ description: 'e' }),
  };
  await acme.putEnvironment('prod');
  const reports = [await acme.run('prod', onServer({ cli: 'cli' })), await acme.run('prod', onServer({ api: 'api' }))];
  await integrateStored(integrator, acme.id);
  const policy = policyOf(verifierKey(origin(acme.id), 'ed25519', publicKey));
  const get = (path: string, accept?: string) =>
    acme.call('GET', `/receipts/${acme.org}/${path}`, accept === undefined ? {} : { headers: { accept } });
  const getJson = async (path: string) => (await get(path, 'application/json')).json as ReceiptJson;
  /** Verifies a receipt as its holder does. @returns the hash of the entry */
  const verified = (text: string): string => {
    const file = parseProofFile(text);
    const entry = file.extra ?? Buffer.alloc(0);
    verifyProofFile(file, leafHash(entry), policy);
    return entryHash(entry).toString('hex');
  };
  return { ...acme, writes, reports, get, getJson, verified };
}

/** Hashes of the moments or snapshots that a write appended. */
export const momentsOf = ({ headers }: TestAnswer): string[] => headers['evidence-moment']?.split(', ') ?? [];

const RECEIPT = /<https:\/\/api\.example\/api\/v2\/receipts\/[^/]+\/([^>]*)>; rel="receipt"/g;
/** Addresses of receipts that a write answered, below `/receipts/{org}/`. */
export const receiptsOf = ({ headers }: TestAnswer): string[] =>
  [...(headers['link'] ?? '').matchAll(RECEIPT)].map(([, path = '']) => decodeURIComponent(path));
