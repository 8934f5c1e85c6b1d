import type { FetchQueryOptions } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import type { PageName } from '#shared/console/pages.ts';
import type { SearchShape } from '../model/search-params.ts';
import { accountRoute } from './account/route.ts';
import { actionRoute } from './action/route.ts';
import { actionsRoute } from './actions/route.ts';
import { artifactRoute } from './artifact/route.ts';
import { artifactsRoute } from './artifacts/route.ts';
import { attestationsRoute } from './attestations/route.ts';
import { auditRoute } from './audit/route.ts';
import { buildsRoute } from './builds/route.ts';
import { compareRoute } from './compare/route.ts';
import { controlRoute } from './control/route.ts';
import { controlCoverageRoute } from './control-coverage/route.ts';
import { controlDecisionsRoute } from './control-decisions/route.ts';
import { controlVersionsRoute } from './control-versions/route.ts';
import { controlsRoute } from './controls/route.ts';
import { deliveriesRoute } from './deliveries/route.ts';
import { environmentRoute } from './environment/route.ts';
import { environmentAllowedRoute } from './environment-allowed/route.ts';
import { environmentHistoryRoute } from './environment-history/route.ts';
import { environmentPoliciesRoute } from './environment-policies/route.ts';
import { environmentSettingsRoute } from './environment-settings/route.ts';
import { environmentsRoute } from './environments/route.ts';
import { evaluationRoute } from './evaluation/route.ts';
import { evaluationsRoute } from './evaluations/route.ts';
import { flowRoute } from './flow/route.ts';
import { flowsRoute } from './flows/route.ts';
import { homeRoute } from './home/route.ts';
import { organizationsRoute } from './organizations/route.ts';
import { peopleRoute } from './people/route.ts';
import { policiesRoute } from './policies/route.ts';
import { policyRoute } from './policy/route.ts';
import { repoRoute } from './repo/route.ts';
import { reposRoute } from './repos/route.ts';
import type { ParamsOf, Route } from './route.ts';
import { searchRoute } from './search/route.ts';
import { serviceAccountRoute } from './service-account/route.ts';
import { signInRoute } from './sign-in/route.ts';
import { snapshotRoute } from './snapshot/route.ts';
import { trailRoute } from './trail/route.ts';
import { typeRoute } from './type/route.ts';
import { typesRoute } from './types/route.ts';

/** A page as the router takes it: its route, and how its chunk is loaded. */
export interface Screen {
  name: PageName;
  search: SearchShape;
  reads: (
    params: Readonly<Record<string, string>>,
    search: Readonly<Record<string, unknown>>,
  ) => readonly FetchQueryOptions[];
  readsAfter?: (first: unknown, ...given: Parameters<Screen['reads']>) => readonly FetchQueryOptions[];
  load: () => Promise<{ default: FunctionComponent<{ params: object; search: object }> }>;
}

/** Joins a route to the chunk of its page. The page takes exactly the parameters that the route declares. */
const screen = <N extends PageName, S extends SearchShape>(
  route: Route<N, S>,
  load: () => Promise<{
    default: FunctionComponent<{ params: ParamsOf<N>; search: Parameters<Route<N, S>['reads']>[1] }>;
  }>,
): Screen => ({ ...route, load }) as unknown as Screen;

/** Every page of the console that is built. A page of the table of addresses that is not here is answered «Not found». */
export const SCREENS: readonly Screen[] = [
  screen(organizationsRoute, () => import('./organizations/organizations-page.tsx')),
  screen(signInRoute, () => import('./sign-in/sign-in-page.tsx')),
  screen(accountRoute, () => import('./account/account-page.tsx')),
  screen(homeRoute, () => import('./home/home-page.tsx')),
  screen(flowRoute, () => import('./flow/flow-page.tsx')),
  screen(trailRoute, () => import('./trail/trail-page.tsx')),
  screen(artifactRoute, () => import('./artifact/artifact-page.tsx')),
  screen(environmentsRoute, () => import('./environments/environments-page.tsx')),
  screen(environmentHistoryRoute, () => import('./environment-history/environment-history-page.tsx')),
  screen(environmentPoliciesRoute, () => import('./environment-policies/environment-policies-page.tsx')),
  screen(environmentAllowedRoute, () => import('./environment-allowed/environment-allowed-page.tsx')),
  screen(environmentSettingsRoute, () => import('./environment-settings/environment-settings-page.tsx')),
  screen(compareRoute, () => import('./compare/compare-page.tsx')),
  screen(environmentRoute, () => import('./environment/environment-page.tsx')),
  screen(snapshotRoute, () => import('./snapshot/snapshot-page.tsx')),
  screen(policiesRoute, () => import('./policies/policies-page.tsx')),
  screen(policyRoute, () => import('./policy/policy-page.tsx')),
  screen(controlsRoute, () => import('./controls/controls-page.tsx')),
  screen(controlRoute, () => import('./control/control-page.tsx')),
  screen(controlDecisionsRoute, () => import('./control-decisions/control-decisions-page.tsx')),
  screen(controlCoverageRoute, () => import('./control-coverage/control-coverage-page.tsx')),
  screen(controlVersionsRoute, () => import('./control-versions/control-versions-page.tsx')),
  screen(evaluationsRoute, () => import('./evaluations/evaluations-page.tsx')),
  screen(evaluationRoute, () => import('./evaluation/evaluation-page.tsx')),
  screen(actionsRoute, () => import('./actions/actions-page.tsx')),
  screen(actionRoute, () => import('./action/action-page.tsx')),
  screen(deliveriesRoute, () => import('./deliveries/deliveries-page.tsx')),
  screen(auditRoute, () => import('./audit/audit-page.tsx')),
  screen(peopleRoute, () => import('./people/people-page.tsx')),
  screen(serviceAccountRoute, () => import('./service-account/service-account-page.tsx')),
  screen(flowsRoute, () => import('./flows/flows-page.tsx')),
  screen(searchRoute, () => import('./search/search-page.tsx')),
  screen(attestationsRoute, () => import('./attestations/attestations-page.tsx')),
  screen(artifactsRoute, () => import('./artifacts/artifacts-page.tsx')),
  screen(buildsRoute, () => import('./builds/builds-page.tsx')),
  screen(reposRoute, () => import('./repos/repos-page.tsx')),
  screen(repoRoute, () => import('./repo/repo-page.tsx')),
  screen(typesRoute, () => import('./types/types-page.tsx')),
  screen(typeRoute, () => import('./type/type-page.tsx')),
];
