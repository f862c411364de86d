// Tasks that check a folder; their problem matcher is `$pentode`.
import * as vscode from 'vscode';

export class CheckTasks implements vscode.TaskProvider {
  constructor(private readonly program: () => string | undefined) {}

  provideTasks(): vscode.Task[] {
    const tasks: vscode.Task[] = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const task = this.make({ type: 'pentode', verb: 'check', path: '.' }, folder);
      if (task) {
        tasks.push(task);
      }
    }
    return tasks;
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const scope = typeof task.scope === 'object' ? task.scope : vscode.workspace.workspaceFolders?.[0];
    return scope && this.make(task.definition, scope);
  }

  private make(definition: vscode.TaskDefinition, folder: vscode.WorkspaceFolder): vscode.Task | undefined {
    const command = this.program();
    if (!command || !vscode.workspace.isTrusted) {
      return undefined;
    }
    const path = String(definition['path'] ?? '.');
    const execution = new vscode.ProcessExecution(command, ['check', '--format', 'short', path], { cwd: folder.uri.fsPath });
    return new vscode.Task(definition, folder, `check ${path}`, 'pentode', execution, '$pentode');
  }
}
