import { type Attestation, sha256 } from './attestation.ts';
import { expectStatus, httpClient } from './http.ts';
import type { System } from './system.ts';

const ENTRIES = '/api/v1/log/entries';

interface Entry {
  logIndex: number;
  logID: string;
  attestation?: { data: string };
  verification?: { inclusionProof?: unknown };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Rekor 1, with its storage of attestations enabled. The attestation is an entry of the kind `intoto`. */
export function rekor(url: string): System {
  const http = httpClient(url);
  const entryAt = async (id: string): Promise<Entry | undefined> => {
    const answer = await http.send({ method: 'GET', path: `${ENTRIES}/${id}` });
    return answer.status === 404 ? undefined : onlyEntry(expectStatus(200, answer).text)[1];
  };
  const prepare: System['prepare'] = (attestation) => {
    const json = JSON.stringify(proposedEntry(attestation));
    return () => http.send({ method: 'POST', path: ENTRIES, json });
  };
  return {
    name: 'Rekor',
    prepare,
    accepted(answer) {
      const [id, { logIndex, logID, verification }] = onlyEntry(expectStatus(201, answer).text);
      return { id, number: logIndex, sequence: logID, hasProof: verification?.inclusionProof !== undefined };
    },
    writeAsStranger: (attestation, series) => prepare(attestation, series)(),
    async read({ id }) {
      const data = (await entryAt(id))?.attestation?.data;
      return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');
    },
    isProven: async ({ id }) => (await entryAt(id))?.verification?.inclusionProof !== undefined,
  };
}

function proposedEntry({ envelope, publicKey }: Attestation): unknown {
  const { payloadType, payload, signatures } = envelope;
  return {
    apiVersion: '0.0.2',
    kind: 'intoto',
    spec: {
      content: {
        // The API takes the texts of the envelope in base64 once more.
        envelope: {
          payloadType,
          payload: base64(payload),
          signatures: signatures.map(({ sig }) => ({ sig: base64(sig), publicKey: base64(publicKey) })),
        },
        hash: { algorithm: 'sha256', value: sha256(JSON.stringify(envelope)) },
      },
    },
  };
}

/** Reads an answer, which is an object with one entry by its id. */
function onlyEntry(text: string): [string, Entry] {
  const [entry] = Object.entries(JSON.parse(text) as Record<string, Entry>);
  if (!entry) throw new Error(`The answer has no entry: ${text.slice(0, 500)}`);
  return entry;
}
