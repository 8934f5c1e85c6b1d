import { createHash } from 'node:crypto';
import type { DemoClient, DemoFiles } from './client.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import type { Script } from './script.ts';

/** What the parts of the demo data share. */
export interface Setting {
  script: Script;
  keys: { admin: string; bob: string; ci: () => string };
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

export const HOURS_PER_DAY = 24;

const AUTHORS = [
  ['Ann Reed', 'ann'],
  ['Bob Stone', 'bob'],
  ['Chris Lake', 'chris'],
  ['Dana Field', 'dana'],
] as const;
const SUBJECTS = [
  'Show the delivery date in the basket',
  'Correct rounding of discounts',
  'Update the base image',
  'Retry a payment after a timeout',
  'Remove the old address form',
  'Cache prices for a minute',
  'Add an index for open orders',
  'Log the reason of a declined card',
];

/** The commit of the nth release of a flow. */
export function commitOf(flow: string, n: number, timestamp: number) {
  const [author, username] = AUTHORS[n % AUTHORS.length] ?? AUTHORS[0];
  const id = sha1(`${flow} ${n}`);
  return {
    sha1: id,
    message: SUBJECTS[(n * 3 + flow.length) % SUBJECTS.length] ?? SUBJECTS[0],
    author: `${author} <${username}@webshop.example>`,
    author_username: username,
    timestamp,
    branch: 'main',
    url: `https://git.webshop.example/${flow}/commit/${id}`,
    parents: [sha1(`${flow} ${n - 1}`)],
  };
}

export const repoOf = (flow: string) => ({
  id: sha1(flow).slice(0, 8),
  name: `webshop/${flow}`,
  url: `https://git.webshop.example/${flow}`,
  provider: 'gitlab',
});

/** Begins a trail. */
export const beginTrail = (client: DemoClient, key: string, flow: string, document: object): Promise<unknown> =>
  client.send(key, 'PUT', `/trails/${ORG}/${flow}`, { part: 'data_json', document });

/** Reports an attestation, with files by the names of their parts. An override takes no files and is no form. */
export const attest = (
  client: DemoClient,
  key: string,
  { flow, trail, kind }: { flow: string; trail: string; kind: string },
  document: object,
  files?: DemoFiles,
): Promise<unknown> => {
  const body = kind === 'override' ? { json: document } : { part: 'data_json', document, ...(files && { files }) };
  return client.send(key, 'POST', `/attestations/${ORG}/${flow}/trail/${trail}/${kind}`, body);
};
