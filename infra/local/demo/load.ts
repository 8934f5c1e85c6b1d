import type { RelayServices } from '#functions/relay/services.ts';
import type { Services } from '#functions/services.ts';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { workerLog } from '#shared/base/log-lines.ts';
import { AnyEnvironmentName } from '#shared/base/names.ts';
import { systemClock } from '#shared/base/time.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { findEnvironment } from '#shared/environments/records/environments.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import type { NotifierServices } from '#shared/notifications/services.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { Queue } from '#shared/queues/queue.ts';
import { askStarts } from '#shared/watches/asking/ask-starts.ts';
import { fileMailer } from '../file-mailer.ts';
import { DemoClient } from './client.ts';
import { addEnvironments, Environments } from './environments.ts';
import { addExpectations } from './expectations.ts';
import { addNightly } from './nightly.ts';
import { ACTIONS_SINCE, addActions, type DemoTargets, deliverSince, startTargets } from './notifications.ts';
import { addOrganization, BEGIN } from './organization.ts';
import { ADMIN, DemoOrganization } from './people.ts';
import { addInfra, addPromotions, evaluator } from './promotions.ts';
import { addReleases } from './releases.ts';
import { Script, type Step } from './script.ts';
import type { Setting } from './setting.ts';
import { ClockOfSteps, WalkingClock } from './walking-clock.ts';

const LOOPBACK = ['127.0.0.0/8'];

/** What the load needs of the stack. */
export interface DemoStack {
  mail: string;
  services: Services & RelayServices;
}

/**
 * Fills the organization of the demo data: 90 days of evidence, through the handlers of the endpoints, with a clock that
 * walks from the beginning to the present. The organization becomes visible when everything is there.
 *
 * @param signal ends the load before its next request
 * @returns how many requests were made; undefined if the signal ended the load
 */
export async function loadDemo(stack: DemoStack, signal: AbortSignal): Promise<number | undefined> {
  const targets = await startTargets();
  try {
    return await load(stack, targets, signal);
  } finally {
    await targets.stop();
  }
}

async function load(
  { mail, services }: DemoStack,
  targets: DemoTargets,
  signal: AbortSignal,
): Promise<number | undefined> {
  const present = systemClock().now();
  const script = new Script(present);
  const clock = new ClockOfSteps(script.instant(BEGIN + 1));
  const organization = await DemoOrganization.create({ table: services.table, clock });
  const own = { ...services, clock, guard: addressGuard(LOOPBACK), principals: () => organization };
  const setting = await settingOf(script, organization);
  const expansion = expansionOf(own, organization.id);
  const environments = new Environments(setting, expansion);
  addOrganization(script, setting.keys.admin, setting.useKey);
  addEnvironments(setting, environments);
  addReleases(setting, environments);
  addInfra(setting);
  addNightly(setting);
  addPromotions(setting, evaluator(own, organization.id));
  addExpectations(setting);
  addActions(setting, targets);

  const client = new DemoClient(own);
  const since = script.instant(ACTIONS_SINCE);
  const runStep = async ({ at, run }: Step) => {
    if (at >= since) await organization.list();
    return clock.at(at, () => run(client));
  };
  await script.run(runStep, signal);
  if (signal.aborted) return undefined;
  await organization.publish();
  const deliveryClock = new WalkingClock(since);
  const notifier: NotifierServices = {
    ...own,
    clock: deliveryClock,
    deliveries: noQueue(),
    mailer: fileMailer(mail, { now: () => new Date(deliveryClock.now() / 1000) }),
    host: own.address,
  };
  await deliverSince(organization.id, since, present, notifier, deliveryClock);
  return client.requests;
}

/**
 * Returns a function that expands the newest snapshots of an environment at once. The expander of the stack would do it
 * later and in another order, and the snapshots of the logical environment would get other times.
 */
function expansionOf(services: Services & RelayServices, org: OrganizationId): (name: string) => Promise<unknown> {
  const log = workerLog('demo', undefined, undefined, 'expander');
  const context = { services, memory: new EnvironmentMemory(), log, evaluationsOf, askStarts };
  const ids = new Map<string, EnvironmentId>();
  return async (name) => {
    const id = ids.get(name) ?? (await findEnvironment(services.table, org, AnyEnvironmentName.parse(name)))?.id;
    if (id === undefined) throw new Error(`The demo data has no environment '${name}'`);
    ids.set(name, id);
    return expandSnapshots(context, org, id);
  };
}

/** The people of the organization and the key of its pipelines, which a step makes. */
async function settingOf(
  script: Script,
  organization: DemoOrganization,
): Promise<Setting & { useKey: (secret: string) => void }> {
  let pipeline: string | undefined;
  const ci = () => {
    if (pipeline === undefined) throw new Error('The key of the pipelines is used before it is made');
    return pipeline;
  };
  const admin = await organization.addUser(ADMIN, 'admin');
  const bob = await organization.addUser('bob', 'member');
  await organization.addUser('ann', 'member');
  return {
    script,
    keys: { admin, bob, ci },
    useKey: (secret) => {
      pipeline = secret;
    },
  };
}

/** A queue that takes messages and keeps none: the load itself makes each attempt when it is due. */
const noQueue = (): Queue => new Queue({ send: async () => ({}) } as never, '');
