import type { FunctionComponent } from 'react';
import type { PageProps } from './route.ts';
import type { BuiltPage, ROUTES } from './table.ts';

/** Loads the chunk of each page. A page takes exactly the parameters that its route declares. */
export const SCREENS: {
  readonly [N in BuiltPage]: () => Promise<{ default: FunctionComponent<PageProps<(typeof ROUTES)[N]>> }>;
} = {
  organizations: () => import('../organization/organizations-page.tsx'),
  'sign-in': () => import('../account/sign-in-page.tsx'),
  account: () => import('../account/account-page.tsx'),
  home: () => import('../organization/home-page.tsx'),
  flow: () => import('../flow/flow-page.tsx'),
  trail: () => import('../trail/trail-page.tsx'),
  artifact: () => import('../release/artifact/artifact-page.tsx'),
  environments: () => import('../environment/environments-page.tsx'),
  'environment-history': () => import('../environment/history/environment-history-page.tsx'),
  'environment-policies': () => import('../environment/environment-policies-page.tsx'),
  'environment-allowed': () => import('../environment/allowed/environment-allowed-page.tsx'),
  'environment-settings': () => import('../environment/environment-settings-page.tsx'),
  compare: () => import('../environment/compare/compare-page.tsx'),
  environment: () => import('../environment/present/environment-page.tsx'),
  snapshot: () => import('../environment/snapshot-page.tsx'),
  policies: () => import('../policy/policies-page.tsx'),
  policy: () => import('../policy/policy-page.tsx'),
  controls: () => import('../control/controls-page.tsx'),
  control: () => import('../control/control-page.tsx'),
  'control-decisions': () => import('../control/control-decisions-page.tsx'),
  'control-coverage': () => import('../control/control-coverage-page.tsx'),
  'control-versions': () => import('../control/control-versions-page.tsx'),
  evaluations: () => import('../evaluation/evaluations-page.tsx'),
  evaluation: () => import('../evaluation/evaluation-page.tsx'),
  actions: () => import('../notification/actions-page.tsx'),
  action: () => import('../notification/action/action-page.tsx'),
  deliveries: () => import('../notification/deliveries/deliveries-page.tsx'),
  audit: () => import('../organization/audit-page.tsx'),
  people: () => import('../people/people-page.tsx'),
  'service-account': () => import('../people/service-account-page.tsx'),
  flows: () => import('../flow/flows-page.tsx'),
  search: () => import('../search/search-page.tsx'),
  attestations: () => import('../evidence/attestations-page.tsx'),
  artifacts: () => import('../release/artifacts-page.tsx'),
  builds: () => import('../release/builds-page.tsx'),
  repos: () => import('../release/repos-page.tsx'),
  repo: () => import('../release/repo/repo-page.tsx'),
  types: () => import('../evidence/types-page.tsx'),
  type: () => import('../evidence/type-page.tsx'),
  glossary: () => import('../glossary/glossary-page.tsx'),
};
