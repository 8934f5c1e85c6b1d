import type { Attestation } from './attestation.ts';
import { type Answer, expectStatus, httpClient } from './http.ts';
import type { System } from './system.ts';

const FLOW = 'beside';

/** This service. The attestation is the `user_data` of a generic attestation; the series is the trail. */
export function thisService(url: string, org: string, key: string): System {
  const http = httpClient(url);
  const authorization = { authorization: `Bearer ${key}` };
  const writeOf = ({ envelope }: Attestation, trail: string) => ({
    method: 'POST' as const,
    path: `/api/v2/attestations/${org}/${FLOW}/trail/${trail}/generic`,
    json: JSON.stringify({ attestation_name: 'provenance', is_compliant: true, user_data: envelope }),
  });
  return {
    name: 'this service',
    prepare(attestation, trail) {
      const sent = { ...writeOf(attestation, trail), headers: authorization };
      return () => http.send(sent);
    },
    accepted(answer) {
      const { headers } = expectStatus(201, answer);
      // The first attestation of a trail begins the trail too. Then the last receipt is that of the attestation.
      const receipt = [...`${headers['link']}`.matchAll(/<([^>]+)>; rel="receipt"/g)].at(-1)?.[1];
      if (receipt === undefined) throw new Error('The answer names no receipt');
      const [, sequence = '', number] = /^(.*)\/(\d+)$/.exec(new URL(receipt).pathname) ?? [];
      return { id: `${headers['x-resource-id']}`, number: Number(number), sequence, hasProof: false };
    },
    writeAsStranger: (attestation, trail) => http.send(writeOf(attestation, trail)),
    async read({ id }) {
      const path = `/api/v2/attestations/${org}?attestation_id=${id}`;
      return payloadOf(expectStatus(200, await http.send({ method: 'GET', path, headers: authorization })));
    },
    async isProven({ sequence, number }) {
      const answer = await http.send({ method: 'GET', path: `${sequence}/${number}`, headers: authorization });
      if (answer.status === 202) return false;
      expectStatus(200, answer);
      return true;
    },
  };
}

/** @returns undefined if the list of the attestations with the id is empty */
function payloadOf({ text }: Answer): string | undefined {
  const { data } = JSON.parse(text) as { data: { user_data: { payload: string } }[] };
  const [found] = data;
  return found && Buffer.from(found.user_data.payload, 'base64').toString('utf8');
}
