/** For doors, which call Slack under the same policy as workers do. */
export { callSlack } from '../activities/notices/slack-api.js';
