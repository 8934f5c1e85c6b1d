import type { MadeKey } from '#shared/organizations/seed.ts';
import type { Stack } from './stack.ts';

/** For those who come back without the key that their first start showed. */
const KNOWN_KEYS =
  'Keys stay valid. Another one: npm run operator -- issue-key --user demo-admin --description another';

/** What a start prints once the stack can be used. */
export function banner(stack: Stack, dataDir: string | undefined, keys: readonly MadeKey[], isDemo: boolean): string {
  const { url, endpoints, mail } = stack;
  const lines = [
    `The delivery evidence service is ready at ${url}`,
    '',
    `  API        ${url}/api/v2`,
    `  database   ${endpoints.dynamodb}`,
    `  bucket     ${endpoints.s3}`,
    `  queues     ${endpoints.sqs}`,
    `  mail       ${mail}`,
    `  data       ${dataDir ?? 'in memory, gone at the end'}`,
    '',
    ...keys.map(
      ({ organizations, user, key }) => `API key of ${user} in ${organizations.join(', ')} (shown only now): ${key}`,
    ),
    ...(keys.length === 0 && isDemo ? [KNOWN_KEYS] : []),
    ...keys.slice(0, 1).flatMap((key) => (isDemo ? ['', 'Try:', '', ...examples(url, key)] : [])),
    '',
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}

function examples(url: string, { organizations: [organization = ''], key }: MadeKey): string[] {
  const api = `${url}/api/v2`;
  const call = `curl -H 'Authorization: Bearer ${key}'`;
  const evidence = `'data_json={"attestation_name":"unit-tests","is_compliant":true}'`;
  return [
    `  ${call} -F ${evidence} ${api}/attestations/${organization}/hello/trail/release-1/generic`,
    `  ${call} ${api}/trails/${organization}/hello/release-1`,
    `  ${call} ${api}/trails/${organization}/hello/release-1/moments`,
  ];
}
