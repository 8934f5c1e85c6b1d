import { trailsOfDay } from '../../flow/model/flow-days.ts';
import { gapText, paceText } from '../../model/pace.ts';
import { count } from '../../model/words.ts';
import type { OrganizationFrequency } from '../operations.ts';

type Environments = OrganizationFrequency['environments'];

/** A day of the organization: what began, and what was deployed. */
interface OrganizationDay {
  date: string;
  timestamp: number;
  trails: number;
  deployments: number;
  /** `2 in prod, 1 in staging`. */
  where: string;
}

/** The days, the oldest first. Days on which nothing happened are included. */
export const organizationDays = ({ trails, environments }: OrganizationFrequency): OrganizationDay[] =>
  trails.days.map((day, n) => {
    const deployed = environments
      .map(({ environment_name: name, days }) => ({ name, number: days[n]?.count ?? 0 }))
      .filter(({ number }) => number > 0);
    return {
      date: day.date,
      timestamp: day.timestamp,
      trails: trailsOfDay(day),
      deployments: deployed.reduce((sum, { number }) => sum + number, 0),
      where: deployed.map(({ name, number }) => `${number} in ${name}`).join(', '),
    };
  });

export const deploymentsIn = (environments: Environments): number =>
  environments.reduce((sum, { total }) => sum + total, 0);

/** How often something was deployed anywhere: `34 deployments in 4 environments in 30 days. About 1.1 per day.` */
export function frequencySentence({ trails: { days }, environments }: OrganizationFrequency): string {
  const total = deploymentsIn(environments);
  const period = count(days.length, 'day');
  if (total === 0) return `No deployment in ${period}.`;
  const places = environments.filter((one) => one.total > 0).length;
  const pace = paceText(total, days.length, 'deployment');
  return `${count(total, 'deployment')} in ${count(places, 'environment')} in ${period}. ${pace}`;
}

/** How far apart the days with deployments are; empty if they are frequent. */
export const gapsSentence = (answer: OrganizationFrequency): string =>
  gapText(
    organizationDays(answer).map(({ deployments }) => ({ count: deployments })),
    'deployment',
  );

/** Of how many deployments the lead time is known, and why of no others; empty if it is known of all. */
export function leadTimesNote({ environments, lead_times: { known } }: OrganizationFrequency): string {
  const total = deploymentsIn(environments);
  if (known >= total) return '';
  return `Known of ${known} of ${count(total, 'deployment')}: among the newest 100 events of each environment, where the report says when the commit was made.`;
}
