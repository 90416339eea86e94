# One deep lookup of `config` for every node, by Puppet's own lookup library, with fresh loaders a node.
require 'puppet'
require 'json'

folder, out = ARGV
Puppet.initialize_settings(["--confdir=#{folder}/conf", "--vardir=#{folder}/var", '--log_level=err'])
loader = Puppet::Environments::Directories.new("#{folder}/environments", [])
results = {}
JSON.parse(File.read("#{folder}/nodes.json")).each do |given|
  environment = loader.get(:production)
  Puppet.override(environments: loader, current_environment: environment) do
    compiler = Puppet::Parser::Compiler.new(Puppet::Node.new(given['name'], environment: environment))
    Puppet.override(loaders: Puppet::Pops::Loaders.new(environment)) do
      scope = compiler.topscope
      scope['nodename'] = given['name']
      scope['role'] = given['role']
      scope['env'] = given['environment']
      scope['osname'] = given['os']
      asked = Puppet::Pops::Lookup::Invocation.new(scope)
      results[given['name']] = Puppet::Pops::Lookup.lookup('config', nil, nil, false, { 'strategy' => 'deep' }, asked)
    end
  end
end
File.write(out, JSON.generate(results))
