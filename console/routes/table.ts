import { accountRoute, signInRoute } from '../account/routes.ts';
import { componentsRoute, watchesRoute, watchRoute } from '../component/routes.ts';
import { connectRoute } from '../connect/routes.ts';
import {
  controlCoverageRoute,
  controlDecisionsRoute,
  controlRoute,
  controlsRoute,
  controlVersionsRoute,
} from '../control/routes.ts';
import { draftRoute, draftsRoute } from '../draft/routes.ts';
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
import { expectationRoute, expectationsRoute, gapRoute, gapsRoute } from '../expectation/routes.ts';
import { flowRoute, flowsRoute } from '../flow/routes.ts';
import { glossaryRoute } from '../glossary/routes.ts';
import { actionRoute, actionsRoute, deliveriesRoute } from '../notification/routes.ts';
import { auditRoute, frequencyRoute, homeRoute, organizationsRoute } from '../organization/routes.ts';
import { exportsRoute } from '../package/routes.ts';
import { peopleRoute, serviceAccountRoute } from '../people/routes.ts';
import { policiesRoute, policyRoute } from '../policy/routes.ts';
import { artifactRoute, artifactsRoute, buildsRoute, repoRoute, reposRoute } from '../release/routes.ts';
import { searchRoute } from '../search/routes.ts';
import { settingsRoute } from '../settings/routes.ts';
import {
  recallRoute,
  recallsRoute,
  signerRoute,
  signersRoute,
  trustRootRoute,
  trustRootsRoute,
} from '../signer/routes.ts';
import { trailRoute } from '../trail/routes.ts';

/** The routes of all pages that are built. A page of the table of addresses that is not here is answered «Not found». */
export const ROUTES = {
  organizations: organizationsRoute,
  'sign-in': signInRoute,
  account: accountRoute,
  home: homeRoute,
  frequency: frequencyRoute,
  flow: flowRoute,
  trail: trailRoute,
  artifact: artifactRoute,
  environments: environmentsRoute,
  'environment-history': environmentHistoryRoute,
  'environment-policies': environmentPoliciesRoute,
  'environment-allowed': environmentAllowedRoute,
  'environment-settings': environmentSettingsRoute,
  compare: compareRoute,
  environment: environmentRoute,
  snapshot: snapshotRoute,
  policies: policiesRoute,
  policy: policyRoute,
  controls: controlsRoute,
  control: controlRoute,
  'control-decisions': controlDecisionsRoute,
  'control-coverage': controlCoverageRoute,
  'control-versions': controlVersionsRoute,
  expectations: expectationsRoute,
  expectation: expectationRoute,
  gaps: gapsRoute,
  gap: gapRoute,
  evaluations: evaluationsRoute,
  evaluation: evaluationRoute,
  actions: actionsRoute,
  action: actionRoute,
  deliveries: deliveriesRoute,
  exports: exportsRoute,
  audit: auditRoute,
  people: peopleRoute,
  'service-account': serviceAccountRoute,
  flows: flowsRoute,
  search: searchRoute,
  attestations: attestationsRoute,
  components: componentsRoute,
  watches: watchesRoute,
  watch: watchRoute,
  artifacts: artifactsRoute,
  builds: buildsRoute,
  repos: reposRoute,
  repo: repoRoute,
  signers: signersRoute,
  signer: signerRoute,
  'trust-roots': trustRootsRoute,
  'trust-root': trustRootRoute,
  recalls: recallsRoute,
  recall: recallRoute,
  types: typesRoute,
  type: typeRoute,
  glossary: glossaryRoute,
  drafts: draftsRoute,
  draft: draftRoute,
  connect: connectRoute,
  settings: settingsRoute,
};

export type BuiltPage = keyof typeof ROUTES;
