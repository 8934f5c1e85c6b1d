import * as z from 'zod';
import type { Services } from '#functions/services.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import type { DemoClient } from './client.ts';
import { DEMO_ORGANIZATION as ORG } from './people.ts';
import { INCOMPLETE } from './releases.ts';
import { attest, beginTrail, commitOf, repoOf, type Setting } from './setting.ts';

const INFRA_TRAILS = 8;
const PROMOTIONS = 8;

/** Adds the trails of the flow `infra`, each with a plan as an attestation of a custom type. */
export function addInfra({ script, keys }: Setting): void {
  for (let n = 1; n <= INFRA_TRAILS; n += 1) {
    const begin = 60 + (INFRA_TRAILS - n) * 260;
    const trail = `change-${n}`;
    const commit = commitOf('infra', n, script.seconds(begin + 1));
    const document = { name: trail, git_commit_info: commit, repo_info: repoOf('infra') };
    script.add(begin, [trail], (client) => beginTrail(client, keys.ci(), 'infra', document));
    const data = { add: n % 3, change: n % 4, destroy: n === 5 ? 2 : 0 };
    const plan = { attestation_name: 'plan', type_name: 'terraform-plan', attestation_data: data };
    script.add(begin - 0.2, [trail], (client) =>
      attest(client, keys.ci(), { flow: 'infra', trail, kind: 'custom' }, plan),
    );
  }
}

const COMPLETE = 'package policy\n\ndefault allow := false\n\nallow if input.trail.is_compliant\n';
const CONTRADICTION = 'package policy\n\nallow := true if input.trail\n\nallow := false if input.trail\n';

/** Promotions that an evaluation decides: allowed, refused, and with a program that contradicts itself. */
const EVALUATED = [
  { n: 6, hoursAgo: 40, of: { flow: 'ledger', trail: 'release-8' }, program: COMPLETE },
  { n: 7, hoursAgo: 20, of: { flow: 'web', trail: 'release-12' }, program: CONTRADICTION },
  { n: 8, hoursAgo: 2.5, of: INCOMPLETE, program: COMPLETE },
];

/** Evaluates what the demo data requested, at the time of the demo data. */
type Evaluate = (id: string) => Promise<unknown>;

export const evaluator =
  (services: Services, org: OrganizationId): Evaluate =>
  (id) =>
    processEvaluation(services, org, id);

/** Adds the trails of the flow `promotion`. */
export function addPromotions({ script, keys }: Setting, evaluate: Evaluate): void {
  const begin = (n: number, hoursAgo: number) => {
    const trail = `promotion-${n}`;
    const place = { flow: 'promotion', trail, kind: 'generic' };
    const document = { name: trail, description: `Promotion ${n} to production` };
    script.add(hoursAgo, [trail], (client) => beginTrail(client, keys.bob, 'promotion', document));
    const ticket = { attestation_name: 'ticket', origin_url: `https://tickets.webshop.example/CHG-${400 + n}` };
    script.add(hoursAgo - 0.1, [trail], (client) => attest(client, keys.bob, place, ticket));
    return { ...place, kind: 'system' };
  };
  const first = EVALUATED[0]?.n ?? PROMOTIONS;
  for (let n = 1; n < first; n += 1) {
    const hoursAgo = 200 + (first - n) * 300;
    const place = begin(n, hoursAgo);
    const decision = { attestation_name: 'verdict', type_name: 'decision', control: n % 2 ? 'RCTL-3' : 'RCTL-2' };
    const document = { ...decision, attestation_data: { is_compliant: n !== 3, by: 'change board' } };
    script.add(hoursAgo - 0.5, [place.trail], (client) => attest(client, keys.bob, place, document));
  }
  for (const { n, hoursAgo, of, program } of EVALUATED) {
    const { trail } = begin(n, hoursAgo);
    script.add(hoursAgo - 0.3, [], async (client: DemoClient) => {
      const json = {
        context: { trails: [of] },
        policy: { files: { 'policy.rego': program } },
        decision: { control: 'RCTL-2', name: 'verdict', flow: 'promotion', trail },
      };
      const made = await client.send(keys.bob, 'POST', `/evaluations/${ORG}`, { json });
      await evaluate(z.object({ id: z.string() }).parse(made).id);
    });
  }
}
