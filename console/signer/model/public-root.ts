/** Name of the trust root that comes with the service. No record has it (rules/verified-evidence.md#public-root). */
export const PUBLIC_ROOT = 'sigstore-public';
