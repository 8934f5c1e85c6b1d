import { sweepAllLogs } from '#functions/integrator/sweep-logs.ts';
import { RelayMemory } from '#functions/relay/memory.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import { askForLooks } from '#shared/expectations/gaps/ask-for-looks.ts';
import { parseWitnessPolicy } from '#shared/log/rules/witness-settings.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { formatCheckpoint } from '#shared/tlog/checkpoint.ts';
import { formatNote } from '#shared/tlog/notes.ts';
import { logSigner, signNote } from '#shared/tlog/signer.ts';
import { leafHash, rootOfLeaves } from '#shared/tlog/tree.ts';
import { formatAddCheckpoint } from '#shared/tlog/witness-request.ts';
import { exportOf } from '#test/forger/export-sample.ts';
import { eraseOfEachKind } from '#test/forger/organization.ts';
import { sweepOrganizations } from '#test/functions/relay/relay-setting.ts';
import { LOOPBACK, receiver } from '#test/shared/outgoing/receiver.ts';
import type { TestApi } from '#test/support/api.ts';
import type { EnvironmentsOfOrganization } from '#test/support/environments.ts';
import { cosign, exporterOf, logEverything } from '#test/support/log/exports.ts';
import { integratorOf } from '#test/support/log/log.ts';
import { LOG_KEY } from '#test/support/log/log-entries.ts';
import { relayOf } from '#test/support/relay.ts';
import { WITNESSED_DOMAIN } from './golden-services.ts';
import { operate, sent } from './sent.ts';

const MINUTE = 60_000_000;
/** The log of another region, whose checkpoint the service cosigns. */
export const WITNESSED_ORIGIN = `first.${WITNESSED_DOMAIN}`;

/** Actions and notifications of environments, changed, deleted, tested and sent again. */
export async function notifications(acme: EnvironmentsOfOrganization): Promise<void> {
  const targets = [
    { type: 'WEBHOOK', webhook: 'https://hooks.example.com/environments' },
    { type: 'EMAIL', emails: ['ada@example.com'] },
  ];
  const notification = (name: string) => ({
    name,
    type: 'env',
    environments: ['prod', 'K8S'],
    targets,
    triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
  });
  const path = '/organizations/ORG/environments_notifications';
  for (const name of ['production', 'left']) await sent(acme, 'PUT', path, notification(name));
  const listed = (await acme.get(path.replace('ORG', acme.org))).json as { name: string; number: number }[];
  const left = listed.find(({ name }) => name === 'left');
  await sent(acme, 'DELETE', `${path}/${left?.number}`, null);
  const actions = (await acme.get(`/actions/${acme.org}`)).json as { name: string; number: number }[];
  const works = actions.find(({ name }) => name === 'works')?.number;
  await sent(acme, 'POST', `/actions/ORG/${works}/test`, null);
  await sent(acme, 'POST', `/actions/ORG/${works}/signing-secret/rotate`, null);
}

/** Cosigns the first checkpoint of a log of another region. */
export async function witnessed(api: TestApi): Promise<void> {
  const leaf = leafHash(Buffer.from('first'));
  const text = formatCheckpoint({ origin: WITNESSED_ORIGIN, size: 1, root: rootOfLeaves([leaf]) });
  const note = formatNote(await signNote(text, [logSigner(WITNESSED_ORIGIN, LOG_KEY)]));
  const answer = await api.call('POST', '/witness/add-checkpoint', {
    text: formatAddCheckpoint({ oldSize: 0, proof: [], note }),
    headers: { 'content-type': 'text/plain' },
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Enough trails that their list has a milestone, and enough entries that a tile of the log is full. */
const MANY = { trails: 70, changes: 190 };

async function manyEntries(acme: EnvironmentsOfOrganization): Promise<void> {
  await acme.putFlow('many');
  for (let n = 0; n < MANY.trails; n += 1) await acme.begin({}, { flow: 'many', trail: `trail-${n}` });
  for (let n = 0; n < MANY.changes; n += 1) {
    await sent(acme, 'PATCH', '/tags/ORG/flow/api', { set_tags: { n: String(n) } });
  }
}

/** Lets the workers do everything that they do in a stage: effects, sweeps, the log with its rounds, exports, erasures. */
export async function work(api: TestApi, acme: EnvironmentsOfOrganization): Promise<void> {
  const { services } = api;
  const relay = relayOf(services, acme.id);
  await manyEntries(acme);
  await relay.settle();
  await logEverything(services, acme.id);
  const exporter = exporterOf(services, { files: services.files });
  const { files } = await exportOf(api, exporter, acme);
  await eraseOfEachKind(api, acme, files);
  await exportOf(api, exporter, acme);
  await evaluations(api, acme);
  await sent(acme, 'POST', '/exports/ORG');
  await askForLooks(relay.services);
  // So that the entries of the lists count as settled, and milestones are appended.
  services.clock.advance(5 * MINUTE);
  await askForLooks(relay.services);
  await relay.settle();
  await sweepOrganizations(relay.services, { memory: new RelayMemory(), log: () => undefined });
  await relay.settle();
  await logEverything(services, acme.id);
  await operate(api, { command: 'backfill-log', organization: acme.org });
  await rounds(api, acme);
  for (const enabled of [true, false]) await operate(api, { command: 'maintenance', enabled });
}

/** One evaluation that ended, and one that waits. */
async function evaluations({ services }: TestApi, acme: EnvironmentsOfOrganization): Promise<void> {
  const about = (trail: string) => ({
    context: { trails: [{ flow: 'api', trail }] },
    policy: { files: { 'policy.rego': 'package policy\n\nallow := true\n' } },
    params: {},
  });
  const { id } = (await sent(acme, 'POST', '/evaluations/ORG', about('third'))) as { id: string };
  await processEvaluation(services, acme.id, id);
  await sent(acme, 'POST', '/evaluations/ORG', about('third'));
}

/** The rounds over all logs: one witness has cosigned the newest checkpoint, another one does not answer. */
async function rounds(api: TestApi, acme: EnvironmentsOfOrganization): Promise<void> {
  const { table, objects, clock, keys } = api.services;
  await cosign(table, acme.id, [logSigner('witness.example.com', LOG_KEY)]);
  const { policy_line: line } = (await api.call('GET', '/witness')).json as { policy_line: string };
  await using silent = await receiver((response) => void response.writeHead(503).end());
  const other = line.replace(/^witness \S+/, 'witness peer').replace(/\S+$/, `${new URL(silent.url).origin}/witness`);
  const policy = parseWitnessPolicy(`${other}\nquorum peer\n`);
  const witnesses = { policy, every: MINUTE, guard: addressGuard(LOOPBACK) };
  const integrator = integratorOf(table, { objects, clock, logSigner: keys.log, witnesses });
  await sweepAllLogs(integrator.services, { log: () => undefined });
}
