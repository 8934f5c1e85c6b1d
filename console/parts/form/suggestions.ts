import { queryClient, read } from '../../client/query-client.ts';
import { environments } from '../../environment/operations.ts';
import { flows } from '../../flow/operations.ts';
import { allOf } from '../../model/pages.ts';
import { policies } from '../../policy/operations.ts';
import { PUBLIC_ROOT } from '../../signer/model/public-root.ts';
import { signers, trustRoots } from '../../signer/operations.ts';

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

export const signerNames = (org: string) => async (): Promise<string[]> =>
  namesOf((await queryClient.fetchQuery(read(signers, { org }, { per_page: MOST }))).signers);

/** Every organization has the public root. */
export const trustRootNames = (org: string) => async (): Promise<string[]> => {
  const { trust_roots: roots } = await queryClient.fetchQuery(read(trustRoots, { org }, { per_page: MOST }));
  return [PUBLIC_ROOT, ...namesOf(roots)];
};

export const policyNames = (org: string) => async (): Promise<string[]> =>
  namesOf(await queryClient.fetchQuery(read(policies, { org })));
