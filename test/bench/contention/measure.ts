import { startBenchStack } from '../bench-stack.ts';
import { eventOf } from '../client.ts';
import { type BenchOrganization, makeOrganization } from '../organizations/organizations.ts';
import type { PartRun } from '../part.ts';
import { makeBundles } from '../processes/function-bundles.ts';
import { HandlerProcess } from '../processes/handler-process.ts';
import { type ContentionResult, type Round, type ScenarioResult, usualCallsOf, writersResult } from './results.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

/** Lets many writers write to one thing, and in turns to one thing each. */

const WRITERS = 16;
const TRAILS = 1_000;
/** More writes than a writer makes in a round. */
const MOST_WRITES = 100;

interface Pace {
  rounds: number;
  millis: number;
}
const PACE: Pace = { rounds: 5, millis: 1_000 };
const QUICK: Pace = { rounds: 2, millis: 500 };

export async function measureContention({ quick, only = '', progress }: PartRun): Promise<ContentionResult> {
  const pace = quick ? QUICK : PACE;
  const chosen = SCENARIOS.filter(({ name }) => name.includes(only));
  const stack = await startBenchStack();
  const bundles = await makeBundles(stack, [...new Set(chosen.map(({ group }) => group.name))]);
  try {
    const organization = await makeOrganization(stack, 'contention', TRAILS, progress);
    const scenarios: ScenarioResult[] = [];
    for (const scenario of chosen) {
      progress(scenario.name);
      const { name } = scenario.group;
      // Each writer has an instance of the function, as in a region, where an instance serves one request at a time.
      const writers = Array.from(
        { length: WRITERS },
        () => new HandlerProcess(bundles.folderOf(name), bundles.environmentOf(name)),
      );
      try {
        scenarios.push(await compare(organization, scenario, writers, pace));
      } finally {
        await Promise.all(writers.map((writer) => writer.stop()));
      }
    }
    organization.client.close();
    return { writers: WRITERS, rounds: pace.rounds, seconds: pace.millis / 1_000, scenarios };
  } finally {
    bundles.remove();
    await stack.stop();
  }
}

/** Things that only one writer writes to have the numbers from 1. The thing of all writers has the number 0. */
const COMMON = 0;

async function compare(
  { name: org, client }: BenchOrganization,
  { name, prepare, write }: Scenario,
  writers: readonly HandlerProcess[],
  { rounds, millis }: Pace,
): Promise<ScenarioResult> {
  const prefix = SCENARIOS.findIndex((scenario) => scenario.name === name) * (WRITERS + 1);
  const [group, expected, make] = prepare;
  for (let thing = 0; thing <= WRITERS; thing += 1) await client.direct(group, make(org, prefix + thing), expected);
  let number = 0;
  const run = (thingOf: (writer: number) => number, length: number): Promise<Round> => {
    const work = writers.map((writer, i) => {
      const events = Array.from({ length: MOST_WRITES }, () => {
        number += 1;
        return eventOf(write(org, prefix + thingOf(i), i, number), client.key);
      });
      return writer.run({ events, clients: 1, millis: length });
    });
    return Promise.all(work);
  };
  const toSame = () => run(() => COMMON, millis);
  const toDifferent = () => run((writer) => writer + 1, millis);
  // The processes start, and read the key and the membership, in a round that does not count.
  await toDifferent();
  const [same, different]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    same.push(await toSame());
    different.push(await toDifferent());
  }
  const usual = usualCallsOf(different);
  return { name, same: writersResult(same, usual), different: writersResult(different, usual) };
}
