/** The name of the service in requests to targets of notifications and in the log of AWS calls. */
export const USER_AGENT = 'delivery-evidence/1';
