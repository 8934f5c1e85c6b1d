import type { OrganizationId } from '#shared/base/ids.ts';
import { retrying } from '#shared/base/retry.ts';
import type { Micros } from '#shared/base/time.ts';
import type { Table } from '#shared/table/table.ts';
import type { Expectation } from '../rules/expectation.ts';
import { planGaps, type Step } from '../rules/gaps/plan.ts';
import type { Look, Overdue } from '../rules/gaps/silence.ts';
import { endGap, gapOf, raiseGap, storeGap } from './change-gap.ts';
import { markMissing, type Reporter, readHead, readReporter, reportAt, reporterSubject } from './reporters.ts';

interface Looking {
  table: Table;
  org: OrganizationId;
  look: Look;
}

interface Looked {
  expectation: Expectation;
  reporter: Reporter;
}

/**
 * Applies the steps of a look at an environment. If a report came since the environment was read, the environment is read
 * and judged again.
 */
export async function applySteps(looking: Looking, looked: Looked, steps: readonly Step[]): Promise<void> {
  const { table, org } = looking;
  let { reporter } = looked;
  let todo = steps;
  await retrying(async () => {
    const head = todo.length === 0 ? null : await readHead(table, org, reporter.id);
    for (const step of todo) {
      const outcome = await applyStep(looking, { ...looked, reporter }, step, (at) => reportAt(at, head));
      if (outcome === 'done') continue;
      const present = await readReporter(table, org, reporter.id);
      // An archived environment is no subject any more.
      if (!present) return 'done';
      reporter = present;
      // The steps before this one ended the gap that was known.
      todo = planGaps(looked.expectation, present, undefined, looking.look).steps;
      return 'again';
    }
    return 'done';
  });
}

type ArrivalAt = (at: Micros) => ReturnType<typeof reportAt>;

/** @returns `arrived` if a report came since the environment was read */
async function applyStep(
  { table, org, look }: Looking,
  { expectation, reporter }: Looked,
  step: Step,
  arrivalAt: ArrivalAt,
): Promise<'done' | 'arrived'> {
  const { now } = look;
  switch (step.step) {
    case 'end': {
      const { gap, until, ended } = step;
      await endGap(
        table,
        org,
        gap.id,
        { until, ended, firstAfter: ended === 'arrived' ? arrivalAt(until) : null },
        look,
      );
      return 'done';
    }
    case 'raise':
      await raiseGap(table, org, step.gap.id, step.unknown, now);
      return 'done';
    case 'record': {
      const end = { until: step.until, firstAfter: arrivalAt(step.until) };
      await storeGap(table, org, gapOf({ ...found(step), end }, now));
      return 'done';
    }
    case 'open': {
      const gap = gapOf({ ...found(step), end: null }, now);
      const outcome = await storeGap(table, org, gap, [markMissing(org, reporter, gap.id)]);
      return outcome === 'arrived' ? outcome : 'done';
    }
  }

  function found({ overdue, lastAt }: { overdue: Overdue; lastAt: Micros }) {
    return { expectation, subject: reporterSubject(reporter), overdue, lastBefore: arrivalAt(lastAt) };
  }
}
