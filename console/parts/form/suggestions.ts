import { queryClient, read } from '../../client/query-client.ts';
import { environments } from '../../environment/operations.ts';
import { flows } from '../../flow/operations.ts';
import { allOf } from '../../model/pages.ts';
import { policies } from '../../policy/operations.ts';

/** Names that a form suggests: one page of the list. Other names can be typed. */
const MOST = 100;

const namesOf = (records: readonly { name: string }[]): string[] => records.map(({ name }) => name);

export const environmentNames = (org: string) => async (): Promise<string[]> =>
  namesOf(
    allOf(await queryClient.fetchQuery(read(environments, { org }, { page: 1, per_page: MOST })), 'environments'),
  );

/** Only these can be members of a logical environment. */
export const physicalNames = (org: string) => async (): Promise<string[]> =>
  namesOf(
    allOf(
      await queryClient.fetchQuery(read(environments, { org }, { page: 1, per_page: MOST })),
      'environments',
    ).filter(({ type }) => type !== 'logical'),
  );

export const flowNames = (org: string) => async (): Promise<string[]> => {
  const answer = await queryClient.fetchQuery(read(flows, { org }, { page: 1, per_page: MOST }));
  return namesOf(Array.isArray(answer) ? answer : answer.data);
};

export const policyNames = (org: string) => async (): Promise<string[]> =>
  namesOf(await queryClient.fetchQuery(read(policies, { org })));
