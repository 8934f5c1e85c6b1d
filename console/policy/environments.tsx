import { EnvironmentLinks } from '../parts/link/name-links.tsx';

/** The environments of a policy, each as a link. */
export const Environments = ({ org, names }: { org: string; names: readonly string[] }) =>
  names.length === 0 ? 'none' : <EnvironmentLinks org={org} environments={names} />;
