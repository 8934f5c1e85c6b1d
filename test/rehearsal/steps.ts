import { isDeepStrictEqual } from 'node:util';
import { Template } from 'aws-cdk-lib/assertions';
import { fixedResources } from '#infra/release/fixed-resources.ts';
import { replacements } from '#infra/release/replacements.ts';
import { difference, firstDifference, gone, unexpected } from './compare.ts';
import { lostData, placesOf, storeData } from './data.ts';
import {
  bootstrap,
  type Deployed,
  deploy,
  deployedResources,
  destroy,
  endProtection,
  outputsOf,
} from './deployment.ts';
import {
  differentAlarms,
  differentNames,
  differentOutputs,
  differentRights,
  differentRoutes,
  differentTable,
  entriesOf,
  type Found,
  missingProtection,
  missingResources,
} from './documents.ts';
import type { Emulator } from './emulator.ts';
import { type Inventory, keyOf, readInventory } from './inventory.ts';
import type { Released } from './release.ts';
import type { Report } from './report.ts';
import { PARTS, type Part, type StageTemplates } from './templates.ts';

/** What is rehearsed with. */
export interface Rehearsal {
  emulator: Emulator;
  report: Report;
  /** The templates of this checkout. */
  present: StageTemplates;
  /** The same with {@link CHANGED_SETTINGS}. */
  changed: StageTemplates;
  released: Released | undefined;
}

/** Settings that differ in the templates `changed`. */
export const CHANGED_SETTINGS = { logRetentionDays: 365, alarmAddress: 'others@example.com' };

/** Resources that a deployment replaces without a notice (`infra/release/fixed-resources.ts`). */
const UNANNOUNCED = /^AWS::ApiGatewayV2::(?:Route|Integration)$/;

/**
 * Deploys into an empty account, deploys the same again, and changes two settings.
 *
 * @returns whether later parts have something to begin with; the same of the other parts
 */
export async function firstDeployment(rehearsal: Rehearsal): Promise<boolean> {
  const { emulator, report, present, changed } = rehearsal;
  report.part('First deployment');
  await bootstrap(emulator, [present, changed]);
  if (!(await report.step('all stacks are deployed', () => deployed(emulator, present, PARTS)))) return false;
  await compareWithDocuments(rehearsal);
  await deployAgain(rehearsal);

  report.part('Changed settings');
  const before = await readInventory(emulator);
  const resources = await deployedResources(emulator);
  await report.step('another log retention and another alarm address are deployed', () =>
    deployed(emulator, changed, ['service', 'watch']),
  );
  await report.step('only logs and the subscription changed', async () => {
    const after = await readInventory(emulator);
    const found = difference(before, after);
    const subscription = /^AWS::SNS::Subscription /;
    return [
      ...unexpected(found, { added: subscription, removed: subscription, changed: /^AWS::Logs::LogGroup / }),
      ...wrongSettings(after),
      ...gone(resources, await deployedResources(emulator))
        .filter(({ type }) => type !== 'AWS::SNS::Subscription')
        .map(({ id, type }) => `${id} (${type}) was replaced`),
    ];
  });
  return true;
}

/** Upgrades from the last release, and goes back as docs/deploying.md says. */
export async function upgrade(rehearsal: Rehearsal): Promise<boolean> {
  const { emulator, report, present, released } = rehearsal;
  await bootstrap(emulator, [present, ...(released ? [released.templates] : [])]);
  if (released === undefined) {
    report.part('The history has no release yet: the upgrade is left out');
    if (!(await report.step('all stacks are deployed', () => deployed(emulator, present, PARTS)))) return false;
  } else {
    report.part(`Upgrade from ${released.version} (commit ${released.commit.slice(0, 12)})`);
    if (!(await report.step('the release is deployed', () => deployed(emulator, released.templates, PARTS))))
      return false;
  }
  const before = await deployedResources(emulator);
  const places = placesOf(before);
  await report.step('data is stored with every documented key', async () => {
    await storeData(emulator, places);
    return lostData(emulator, places);
  });
  if (released === undefined) return true;
  await report.step('this checkout is deployed over it', () => deployed(emulator, present, PARTS, 'may be unchanged'));
  await report.step('only announced resources are replaced or removed', async () =>
    unannouncedReplacements(released.templates, present, gone(before, await deployedResources(emulator))),
  );
  await report.step('the data is still there', () => lostData(emulator, places));
  await compareWithDocuments(rehearsal);
  await deployAgain(rehearsal);
  await report.step('the release before is deployed again, without the stateful stack', () =>
    deployed(emulator, released.templates, ['service', 'watch'], 'may be unchanged'),
  );
  await report.step('this checkout is deployed again', () => deployed(emulator, present, PARTS, 'may be unchanged'));
  await compareWithDocuments(rehearsal);
  return true;
}

/** Removes the stacks in the order of docs/deploying.md#tear-down, and deploys again next to what stayed. */
export async function tearDown(rehearsal: Rehearsal): Promise<boolean> {
  const { emulator, report, present } = rehearsal;
  report.part('Tear down');
  const full = await readInventory(emulator);
  const resources = await deployedResources(emulator);
  const places = placesOf(resources);
  const kept = keptKeys(resources);
  await report.step('the stacks without state are removed', async () => {
    await destroy(emulator, ['watch', 'service']);
    return keptDifference(full, await readInventory(emulator), kept);
  });
  await report.step('the stateful stack refuses its deletion while it is protected', async () => {
    const refused = await destroy(emulator, ['stateful']).then(
      () => false,
      (error: unknown) => error instanceof Error && /TerminationProtection/.test(error.message),
    );
    return refused ? [] : ['the stack was deleted'];
  });
  await report.step('the stateful stack is removed, and everything with data stays as it was', async () => {
    await endProtection(emulator, 'stateful');
    await destroy(emulator, ['stateful']);
    const after = await readInventory(emulator);
    return [...keptDifference(full, after, kept), ...missingProtection(after)];
  });
  await report.step('the data is still there', () => lostData(emulator, places));

  report.part('Deployment next to what stayed');
  const left = await readInventory(emulator);
  if (!(await report.step('all stacks are deployed', () => deployed(emulator, present, PARTS)))) return false;
  await compareWithDocuments(rehearsal);
  await report.step('what stayed is unchanged and not used', async () => {
    const used = (await deployedResources(emulator)).filter(({ type, physical }) => left.has(keyOf(type, physical)));
    return [
      ...keptDifference(left, await readInventory(emulator), new Set(left.keys()), 'more may be there'),
      ...used.map(({ id, physical }) => `${id} is ${physical}, which was there before`),
      ...(await lostData(emulator, places)),
    ];
  });
  return true;
}

async function deployed(
  emulator: Emulator,
  templates: StageTemplates,
  parts: readonly Part[],
  unchanged: 'may be unchanged' | 'must change' = 'must change',
): Promise<string[]> {
  const changed = await deploy(emulator, templates, parts);
  if (unchanged === 'may be unchanged') return [];
  return parts.filter((part) => !changed.includes(part)).map((part) => `the ${part} stack did not change`);
}

async function deployAgain({ emulator, report, present }: Rehearsal): Promise<void> {
  await report.step('the same templates change nothing', async () => {
    const before = await readInventory(emulator);
    const changed = await deploy(emulator, present);
    return [
      ...changed.map((part) => `the ${part} stack was updated`),
      ...unexpected(difference(before, await readInventory(emulator)), {}),
    ];
  });
}

async function compareWithDocuments({ emulator, report }: Rehearsal): Promise<void> {
  const inventory = await readInventory(emulator);
  const found: Found = { deployed: await deployedResources(emulator), inventory: ofStacks(inventory) };
  const outputs = await outputsOf(emulator, 'service');
  const compared: [name: string, check: () => string[]][] = [
    ['every resource of the templates is there', () => missingResources(found)],
    ['rights of functions: docs/iam.md', () => differentRights(found)],
    ['keys and protection of the table: docs/table.md, docs/deploying.md', () => differentTable(found)],
    ['routes of the gateway: docs/rules/requests.md', () => differentRoutes(found)],
    ['alarms: docs/runbook.md', () => differentAlarms(found)],
    ['functions and fixed names: docs/iam.md, infra/names.ts', () => differentNames(found)],
    ['outputs: docs/deploying.md', () => differentOutputs(outputs)],
    ['bucket, queues and topic are protected: docs/deploying.md', () => missingProtection(found.inventory)],
  ];
  for (const [name, check] of compared) await report.step(name, async () => check());
}

/** Things that `cdk bootstrap` made are nobody's. */
const ofStacks = (inventory: Inventory): Inventory =>
  new Map([...inventory].filter(([key]) => !/cdk-(?:bootstrap|hnb659fds)/.test(key)));

function wrongSettings(inventory: Inventory): string[] {
  const { logRetentionDays, alarmAddress } = CHANGED_SETTINGS;
  const logs = [...entriesOf(inventory, 'AWS::Logs::LogGroup')];
  const wrong = logs.filter(([, facts]) => facts['retentionInDays'] !== logRetentionDays);
  const addresses = [...entriesOf(inventory, 'AWS::SNS::Subscription').values()].map((facts) => facts['Endpoint']);
  return [
    ...wrong.map(([name]) => `${name} does not keep its lines for ${logRetentionDays} days`),
    ...(isDeepStrictEqual(addresses, [alarmAddress]) ? [] : [`alarms go to ${addresses.join(', ')}`]),
  ];
}

/** Compares what was replaced with what `npm run replacements` says. */
function unannouncedReplacements(
  before: StageTemplates,
  after: StageTemplates,
  replaced: readonly Deployed[],
): string[] {
  const [old, now] = [before, after].map((templates) =>
    fixedResources({
      stateful: Template.fromJSON(templates.stateful),
      service: Template.fromJSON(templates.service),
      watch: Template.fromJSON(templates.watch),
    }),
  );
  const announced = new Set(replacements(old ?? [], now ?? []).map(({ stack, id }) => `${stack}/${id}`));
  const found = replaced.filter(({ type }) => !UNANNOUNCED.test(type)).map(({ part, id }) => `${part}/${id}`);
  return [
    ...found.filter((id) => !announced.has(id)).map((id) => `${id} is replaced, which nothing announces`),
    ...[...announced]
      .filter((id) => !found.includes(id))
      .map((id) => `${id} is not replaced, although it is announced`),
  ];
}

/** The types that outlive their stack. docs/deploying.md#tear-down names them; the templates are what is checked. */
const KEPT = /^AWS::(?:DynamoDB::Table|S3::Bucket|KMS::Key|SQS::Queue)$/;

const keptKeys = (deployed: readonly Deployed[]): Set<string> =>
  new Set(deployed.filter(({ type }) => KEPT.test(type)).map(({ type, physical }) => keyOf(type, physical)));

/** Returns a sentence for each kept thing that changed or is gone, and for each other thing that is still there. */
function keptDifference(
  before: Inventory,
  after: Inventory,
  kept: ReadonlySet<string>,
  others: 'more may be there' | 'nothing else' = 'nothing else',
): string[] {
  const own = [...kept].filter((key) => before.has(key));
  const changed = own.flatMap((key) => {
    const [was, is] = [before.get(key) ?? {}, after.get(key)];
    if (is === undefined) return [`${key} is gone`];
    return isDeepStrictEqual(was, is) ? [] : [`${key} changed: ${firstDifference(was, is)}`];
  });
  if (others === 'more may be there') return changed;
  const more = [...ofStacks(after).keys()].filter((key) => before.has(key) && !kept.has(key));
  return [...changed, ...more.map((key) => `${key} is still there`)];
}
