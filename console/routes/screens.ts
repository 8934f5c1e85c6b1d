import type { FetchQueryOptions } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import type { PageName } from '#shared/console/pages.ts';
import { accountRoute, signInRoute } from '../account/routes.ts';
import {
  controlCoverageRoute,
  controlDecisionsRoute,
  controlRoute,
  controlsRoute,
  controlVersionsRoute,
} from '../control/routes.ts';
import {
  compareRoute,
  environmentAllowedRoute,
  environmentHistoryRoute,
  environmentPoliciesRoute,
  environmentRoute,
  environmentSettingsRoute,
  environmentsRoute,
  snapshotRoute,
} from '../environment/routes.ts';
import { evaluationRoute, evaluationsRoute } from '../evaluation/routes.ts';
import { attestationsRoute, typeRoute, typesRoute } from '../evidence/routes.ts';
import { flowRoute, flowsRoute } from '../flow/routes.ts';
import { glossaryRoute } from '../glossary/routes.ts';
import { actionRoute, actionsRoute, deliveriesRoute } from '../notification/routes.ts';
import { auditRoute, homeRoute, organizationsRoute } from '../organization/routes.ts';
import { peopleRoute, serviceAccountRoute } from '../people/routes.ts';
import { policiesRoute, policyRoute } from '../policy/routes.ts';
import { artifactRoute, artifactsRoute, buildsRoute, repoRoute, reposRoute } from '../release/routes.ts';
import { searchRoute } from '../search/routes.ts';
import { trailRoute } from '../trail/routes.ts';
import type { ParamsOf, Route } from './route.ts';
import type { SearchShape } from './search-params.ts';

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
  screen(organizationsRoute, () => import('../organization/organizations-page.tsx')),
  screen(signInRoute, () => import('../account/sign-in-page.tsx')),
  screen(accountRoute, () => import('../account/account-page.tsx')),
  screen(homeRoute, () => import('../organization/home-page.tsx')),
  screen(flowRoute, () => import('../flow/flow-page.tsx')),
  screen(trailRoute, () => import('../trail/trail-page.tsx')),
  screen(artifactRoute, () => import('../release/artifact/artifact-page.tsx')),
  screen(environmentsRoute, () => import('../environment/environments-page.tsx')),
  screen(environmentHistoryRoute, () => import('../environment/history/environment-history-page.tsx')),
  screen(environmentPoliciesRoute, () => import('../environment/environment-policies-page.tsx')),
  screen(environmentAllowedRoute, () => import('../environment/allowed/environment-allowed-page.tsx')),
  screen(environmentSettingsRoute, () => import('../environment/environment-settings-page.tsx')),
  screen(compareRoute, () => import('../environment/compare/compare-page.tsx')),
  screen(environmentRoute, () => import('../environment/present/environment-page.tsx')),
  screen(snapshotRoute, () => import('../environment/snapshot-page.tsx')),
  screen(policiesRoute, () => import('../policy/policies-page.tsx')),
  screen(policyRoute, () => import('../policy/policy-page.tsx')),
  screen(controlsRoute, () => import('../control/controls-page.tsx')),
  screen(controlRoute, () => import('../control/control-page.tsx')),
  screen(controlDecisionsRoute, () => import('../control/control-decisions-page.tsx')),
  screen(controlCoverageRoute, () => import('../control/control-coverage-page.tsx')),
  screen(controlVersionsRoute, () => import('../control/control-versions-page.tsx')),
  screen(evaluationsRoute, () => import('../evaluation/evaluations-page.tsx')),
  screen(evaluationRoute, () => import('../evaluation/evaluation-page.tsx')),
  screen(actionsRoute, () => import('../notification/actions-page.tsx')),
  screen(actionRoute, () => import('../notification/action/action-page.tsx')),
  screen(deliveriesRoute, () => import('../notification/deliveries/deliveries-page.tsx')),
  screen(auditRoute, () => import('../organization/audit-page.tsx')),
  screen(peopleRoute, () => import('../people/people-page.tsx')),
  screen(serviceAccountRoute, () => import('../people/service-account-page.tsx')),
  screen(flowsRoute, () => import('../flow/flows-page.tsx')),
  screen(glossaryRoute, () => import('../glossary/glossary-page.tsx')),
  screen(searchRoute, () => import('../search/search-page.tsx')),
  screen(attestationsRoute, () => import('../evidence/attestations-page.tsx')),
  screen(artifactsRoute, () => import('../release/artifacts-page.tsx')),
  screen(buildsRoute, () => import('../release/builds-page.tsx')),
  screen(reposRoute, () => import('../release/repos-page.tsx')),
  screen(repoRoute, () => import('../release/repo/repo-page.tsx')),
  screen(typesRoute, () => import('../evidence/types-page.tsx')),
  screen(typeRoute, () => import('../evidence/type-page.tsx')),
];
