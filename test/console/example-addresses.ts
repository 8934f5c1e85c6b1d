import { PAGES, type PageName, type PagePattern } from '#shared/console/pages.ts';
import { SIGNED } from './signed-records.ts';

export interface ExampleAddress {
  name: string;
  address: string;
}

interface Source {
  url: string;
  key: string;
  org: string;
}

/**
 * An address for every page of the table, filled with names that a running stack has. Pages for which the organization
 * has no record are left out.
 */
export async function exampleAddresses({ url, key, org }: Source): Promise<ExampleAddress[]> {
  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } });
    return answer.ok ? answer.json() : null;
  };
  const first = async (path: string, field: string, from?: string): Promise<string> =>
    textAt(await get(path), field, from);
  const flow =
    (await first(`/trails/${org}?compliance_state=INCOMPLETE`, 'flow_name')) ||
    (await first(`/flows/${org}?sort=latest_activity&sort_direction=desc`, 'name'));
  const [trail, fingerprint, env, ...others] = await Promise.all([
    first(`/trails/${org}/${flow}?compliance_state=INCOMPLETE`, 'name', 'data').then(
      (name) => name || first(`/trails/${org}/${flow}`, 'name', 'data'),
    ),
    first(`/artifacts/${org}/${flow}`, 'fingerprint'),
    first(`/environments/${org}?sort=last_changed_at&sort_direction=desc`, 'name'),
    first(`/policies/${org}`, 'name'),
    first(`/controls/${org}`, 'identifier', 'controls'),
    first(`/expectations/${org}`, 'name', 'expectations'),
    first(`/gaps/${org}`, 'id', 'gaps'),
    first(`/evaluations/${org}`, 'id', 'evaluations'),
    first(`/signers/${org}`, 'name', 'signers'),
    first(`/trust-roots/${org}`, 'name', 'trust_roots'),
    first(`/recalls/${org}`, 'name', 'recalls'),
    first(`/custom-attestation-types/${org}`, 'name'),
    first(`/actions/${org}`, 'number'),
    first(`/repos/${org}`, 'name'),
    first(`/watches/${org}`, 'name', 'watches'),
    first(`/service-accounts/${org}`, 'name'),
  ]);
  const [
    policy = '',
    control = '',
    expectation = '',
    gap = '',
    evaluation = '',
    signer = '',
    root = '',
    recall = '',
    type = '',
    action = '',
    repo = '',
    watch = '',
    account = '',
  ] = others;
  const names: Record<string, string> = {
    ...{
      org,
      flow,
      trail,
      fingerprint,
      env,
      policy,
      control,
      expectation,
      gap,
      evaluation,
      signer,
      root,
      recall,
      type,
      action,
      repo,
      watch,
      account,
    },
    expression: '-1',
  };
  const pages = Object.entries(PAGES) as [PagePattern, PageName][];
  const filled = pages.map(([pattern, name]) => ({ name, address: fill(pattern, names) }));
  const attestation = await first(`/attestations/${org}?flow=${flow}&trail=${trail}`, 'attestation_id', 'data');
  // The one whose last report or change is the oldest.
  const quiet = await first(`/environments/${org}?sort=last_modified_at&sort_direction=asc`, 'name');
  const more = [
    { name: 'trail-drawer', address: `/${org}/flows/${flow}/trails/${trail}?attestation_id=${attestation}` },
    { name: 'environment-running', address: `/${org}/environments/${env}?tab=running` },
    { name: 'environment-gaps', address: `/${org}/environments/${quiet}?tab=gaps` },
    { name: 'environment-frequency', address: `/${org}/environments/${env}?tab=frequency` },
    { name: 'flow-gaps', address: `/${org}/flows/${flow}?tab=gaps` },
    { name: 'control-gaps', address: `/${org}/controls/${control}?tab=gaps` },
    { name: 'flow-frequency', address: `/${org}/flows/${flow}?tab=frequency` },
    { name: 'trail-events', address: `/${org}/flows/${flow}/trails/${trail}?tab=events` },
    { name: 'component-search', address: `/${org}/components?q=un` },
    { name: 'component-exposure', address: `/${org}/components?purl=pkg:npm/undici&versions=vers:npm/%3C6.22.0` },
    { name: 'component-builds', address: `/${org}/components?purl=pkg:npm/undici&versions=vers:npm/*&tab=builds` },
    { name: 'component-undecided', address: `/${org}/components?purl=pkg:generic/openssl&versions=vers:generic/*` },
    { name: 'component-refused', address: `/${org}/components?purl=pkg:npm&versions=vers:x/1&at=2099-01-01` },
    ...(await signedAddresses(get, org)),
    { name: 'not-found', address: `/${org}/flows/no-such-flow` },
  ];
  return [...filled, ...more].flatMap(({ name, address }) => (address === null ? [] : [{ name, address }]));
}

/** Pages about signed evidence, if the organization has the records of pictures. */
async function signedAddresses(get: (path: string) => Promise<unknown>, org: string): Promise<ExampleAddress[]> {
  const { flow, trail, fingerprint } = SIGNED;
  const place = `/${org}/flows/${flow}`;
  const found = await Promise.all(
    ['build', 'forged'].map(async (name) => {
      const path = `/attestations/${org}/${flow}/trail/${trail}/${name}`;
      return { name: `seal-${name}`, id: textAt(await get(path), 'attestation_id') };
    }),
  );
  if (found.some(({ id }) => id === '')) return [];
  return [
    ...found.map(({ name, id }) => ({ name, address: `${place}/trails/${trail}?attestation_id=${id}` })),
    { name: 'signed-trail', address: `${place}/trails/${trail}` },
    { name: 'signed-artifact', address: `${place}/artifacts/${fingerprint}` },
    { name: 'less-than-signed', address: `/${org}/attestations?below=signed` },
  ];
}

/** Null if a name of the pattern has no value. */
function fill(pattern: string, names: Readonly<Record<string, string>>): string | null {
  const parts = pattern.replace(/\{(\w+)\+?\}/g, (_, name: string) => names[name] || '\0');
  return parts.includes('\0') ? null : parts;
}

/** A field of the first record of an answer: an array, or an object that holds one. */
function textAt(answer: unknown, field: string, from?: string): string {
  const list = Array.isArray(answer) ? answer : ((answer as Record<string, unknown> | null)?.[from ?? 'data'] ?? []);
  const [record] = Array.isArray(list) ? list : [];
  return String((record as Record<string, unknown> | undefined)?.[field] ?? '');
}
