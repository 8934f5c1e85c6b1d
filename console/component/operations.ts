import type { getExposure } from '#functions/components/get-exposure.ts';
import type { listComponents } from '#functions/components/list-components.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Packages by name, or the builds that hold one. */
export const components = operation<typeof listComponents>()('GET', '/components/{org}', 'reader');
export const exposure = operation<typeof getExposure>()('GET', '/components/{org}/exposure', 'reader');

/** The answer depends on the question: packages for a name, builds for a package URL. */
export type ComponentsPage = AnswerOf<typeof listComponents>;
type BuildsPage = Extract<ComponentsPage, { builds: unknown }>;
export type Build = BuildsPage['builds'][number];
export type Package = Extract<ComponentsPage, { packages: unknown }>['packages'][number];

export const packagesOf = (page: ComponentsPage): readonly Package[] => ('packages' in page ? page.packages : []);
export const buildsOf = (page: ComponentsPage): readonly Build[] => ('builds' in page ? page.builds : []);
export const asOfBuilds = (page: ComponentsPage): number | null => ('question' in page ? page.question.as_of : null);

export type Exposure = AnswerOf<typeof getExposure>;
export type ExposedArtifact = Exposure['affected'][number];
export type Where = ExposedArtifact['environments'][number];
export type RecalledSbom = Exposure['recalled'][number];
export type UnknownArtifact = Exposure['not_known'][number];

/** What every row says of the SBOM that lists the component. */
export type Sbom = Omit<Build, 'artifacts'>;
