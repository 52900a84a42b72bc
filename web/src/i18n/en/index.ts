/** Every text in this language, one file a feature. */
import account from "./account.json";
import activity from "./activity.json";
import annotate from "./annotate.json";
import assets from "./assets.json";
import audit from "./audit.json";
import bin from "./bin.json";
import common from "./common.json";
import environments from "./environments.json";
import files from "./files.json";
import groups from "./groups.json";
import images from "./images.json";
import members from "./members.json";
import overview from "./overview.json";
import projects from "./projects.json";
import roles from "./roles.json";
import session from "./session.json";
import shell from "./shell.json";
import specs from "./specs.json";
import sshKeys from "./sshKeys.json";
import system from "./system.json";
import terminal from "./terminal.json";
import training from "./training.json";
import users from "./users.json";
import webhooks from "./webhooks.json";
import workloads from "./workloads.json";

export default { account, activity, annotate, assets, audit, bin, common, environments, files, groups, images, members, overview, projects, roles, session, shell, specs, sshKeys, system, terminal, training, users, webhooks, workloads };
