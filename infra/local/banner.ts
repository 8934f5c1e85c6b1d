import type { MadeKey } from '#shared/organizations/seed.ts';
import type { Stack } from './stack.ts';

/** Shown from the second start on, when no key can be shown any more. */
const NEW_KEY_HINT =
  'The keys of earlier starts are valid. To get a new key: npm run operator -- issue-key --user demo-admin --description another';

/** What the text of a start depends on, beside the addresses. */
interface BannerFacts {
  dataDir: string | undefined;
  /** Keys that this start created. */
  keys: readonly MadeKey[];
  /** Whether the stack has the demo organization and no seed file. */
  isDemo: boolean;
  /** Address that signs in once; undefined if this start created no key of the demo organization. */
  signIn: string | undefined;
}

/** Returns the text that a start prints when the stack is ready. */
export function bannerText(stack: Pick<Stack, 'url' | 'endpoints' | 'mail'>, facts: BannerFacts): string {
  const { dataDir, keys, isDemo, signIn } = facts;
  const { url, endpoints, mail } = stack;
  const lines = [
    `The delivery evidence service is ready at ${url}`,
    '',
    `  API        ${url}/api/v2`,
    `  database   ${endpoints.dynamodb}`,
    `  bucket     ${endpoints.s3}`,
    `  queues     ${endpoints.sqs}`,
    `  mail       ${mail}`,
    `  data       ${dataDir ?? 'in memory, lost when the stack stops'}`,
    '',
    ...keys.map(
      ({ organizations, user, key }) => `API key of ${user} in ${organizations.join(', ')} (shown only now): ${key}`,
    ),
    ...(keys.length === 0 && isDemo ? [NEW_KEY_HINT] : []),
    ...(signIn === undefined ? [] : [`Sign in with a browser (once, within ten minutes): ${signIn}`]),
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
