import { read } from '../client/query-client.ts';
import { route } from '../routes/route.ts';
import { pageNumber, text } from '../routes/search-params.ts';
import { PUBLIC_ROOT } from './model/public-root.ts';
import {
  recall,
  recallImpact,
  recalls,
  recallVersions,
  type Signer,
  signer,
  signers,
  signerVersions,
  trustRoot,
  trustRoots,
  trustRootVersions,
} from './operations.ts';

/** The routes of the theme, and what their pages read. Loaded at once, so it holds no part of a page. */

/** As many as the service answers at once, which is nearly all that there can be. */
const pageOf = (cursor?: string) => ({ per_page: 100, ...(cursor !== undefined && { cursor }) });
const versionsOf = (page = 1) => ({ page, per_page: 50 });

export const readSigners = (org: string, cursor?: string) => read(signers, { org }, pageOf(cursor));
export const readTrustRoots = (org: string, cursor?: string) => read(trustRoots, { org }, pageOf(cursor));
export const readRecalls = (org: string, cursor?: string) => read(recalls, { org }, pageOf(cursor));

const list = { cursor: text };
const record = { page: pageNumber };

export const signersRoute = route({
  name: 'signers',
  search: list,
  reads: ({ org }, { cursor }) => [readSigners(org, cursor), readRecalls(org)],
});

export const trustRootsRoute = route({
  name: 'trust-roots',
  search: list,
  reads: ({ org }, { cursor }) => [readTrustRoots(org, cursor), readRecalls(org)],
});

export const recallsRoute = route({
  name: 'recalls',
  search: list,
  reads: ({ org }, { cursor }) => [readRecalls(org, cursor)],
});

export const readSigner = (org: string, name: string) => read(signer, { org, name });
export const readSignerVersions = (org: string, name: string, page?: number) =>
  read(signerVersions, { org, name }, versionsOf(page));

export const signerRoute = route({
  name: 'signer',
  search: record,
  reads: ({ org, signer: name }, { page }) => [
    readSigner(org, name),
    readSignerVersions(org, name, page),
    readRecalls(org),
  ],
  // The public root has no record.
  readsAfter: ({ trust_root: root }: Signer, { org }) => (root === PUBLIC_ROOT ? [] : [readTrustRoot(org, root)]),
});

export const readTrustRoot = (org: string, name: string) => read(trustRoot, { org, name });
export const readTrustRootVersions = (org: string, name: string, page?: number) =>
  read(trustRootVersions, { org, name }, versionsOf(page));

export const trustRootRoute = route({
  name: 'trust-root',
  search: record,
  reads: ({ org, root: name }, { page }) => [
    readTrustRoot(org, name),
    readTrustRootVersions(org, name, page),
    readSigners(org),
    readRecalls(org),
  ],
});

export const readRecall = (org: string, name: string) => read(recall, { org, name });
export const readRecallVersions = (org: string, name: string, page?: number) =>
  read(recallVersions, { org, name }, versionsOf(page));

export const readImpact = (org: string, name: string, cursor?: string) =>
  read(recallImpact, { org, name }, pageOf(cursor));

export const recallRoute = route({
  name: 'recall',
  search: { ...record, ...list },
  reads: ({ org, recall: name }, { page, cursor }) => [
    readRecall(org, name),
    readImpact(org, name, cursor),
    readRecallVersions(org, name, page),
  ],
});
